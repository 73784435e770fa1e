// A backend for the Tracker App with net/http. It keeps its data in memory. Start it here:
//
//	Debian:  apt-get install golang-go golang-golang-x-crypto-dev
//	         GO111MODULE=off GOPATH=/usr/share/gocode PORT=8080 go run main.go
//	others:  go mod tidy && PORT=8080 go run .
//
// For production, it lacks: a database, sessions that expire, a limit of sign-in attempts, and on
// https Secure for the cookie.
package main

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"mime"
	"net"
	"net/http"
	"net/mail"
	"os"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/crypto/bcrypt"
)

type project struct {
	ID          string `json:"id"`
	Title       string `json:"title"`
	Description string `json:"description"`
}

type account struct {
	hash     []byte
	projects []project
}

type backend struct {
	mutex    sync.Mutex
	accounts map[string]*account // By lower-case email.
	sessions sync.Map            // Of accounts, by token.
}

func refuse(status int, message string) (int, any) {
	return status, map[string]string{"message": message}
}

// fields has the fields of the body of each call.
var fields = map[string][]string{
	"POST /api/v1/users/register": {"Email", "Password"},
	"POST /api/v1/auth/login":     {"Email", "Password"},
	"GET /api/v1/projects":        {},
	"POST /api/v1/projects":       {"Title", "Description"},
}

func (b *backend) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 1<<20)
	status, body := b.handle(w, r)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(body)
}

func (b *backend) handle(w http.ResponseWriter, r *http.Request) (status int, body any) {
	call := r.Method + " " + r.URL.Path
	names, ok := fields[call]
	if !ok {
		return refuse(404, "There is nothing at this address.")
	}
	user := b.currentAccount(r)
	if user == nil && r.URL.Path == "/api/v1/projects" {
		return refuse(401, "Please sign in to work with projects.")
	}
	texts, status, message := readTexts(r, names)
	if message != "" {
		return refuse(status, message)
	}
	switch call {
	case "POST /api/v1/users/register":
		return b.registerUser(strings.ToLower(texts[0]), texts[1])
	case "POST /api/v1/auth/login":
		return b.login(w, strings.ToLower(texts[0]), texts[1])
	}
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if r.Method == "GET" {
		return 200, user.projects
	}
	created := project{newToken(), texts[0], texts[1]}
	user.projects = append(user.projects, created)
	return 201, created
}

// readTexts returns the named fields of the JSON object in the body.
func readTexts(r *http.Request, names []string) (texts []string, status int, message string) {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if len(names) > 0 && kind != "application/json" {
		return nil, 415, "The request must be sent as JSON."
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, 413, "The request is too large. Please shorten the text."
	}
	if len(names) > 0 && (!json.Valid(body) || !utf8.Valid(body)) {
		return nil, 400, "The request body is not valid JSON."
	}
	var object map[string]json.RawMessage
	json.Unmarshal(body, &object) // Leaves the map empty if the body is not an object.
	for _, name := range names {
		raw, text := string(object[strings.ToLower(name)]), ""
		// Unmarshal replaces unpaired surrogates with U+FFFD and returns no error.
		isText := json.Unmarshal([]byte(raw), &text) == nil
		sent := strings.Count(raw, "\uFFFD") + strings.Count(strings.ToLower(raw), `\ufffd`)
		address, _ := mail.ParseAddress(text)
		switch {
		case !isText || text == "":
			return nil, 422, name + " is required."
		case strings.Count(text, "\uFFFD") > sent || strings.Contains(text, "\x00"):
			return nil, 422, name + " contains a character that cannot be stored."
		case name == "Email" && (address == nil || address.Address != text):
			return nil, 422, "Invalid email address."
		case name == "Password" && utf8.RuneCountInString(text) < 8:
			return nil, 422, "Password must be at least 8 characters."
		case name == "Password" && len(text) > 72: // bcrypt reads no more.
			return nil, 422, "Password must be at most 72 bytes long."
		}
		texts = append(texts, text)
	}
	return texts, 0, ""
}

func (b *backend) registerUser(email, password string) (int, any) {
	hash, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.DefaultCost)
	if err != nil {
		log.Print(err)
		return refuse(500, "Something went wrong on our side.")
	}
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.accounts[email] != nil {
		return refuse(409, "An account with this email already exists.")
	}
	// Not a nil slice, because its JSON is null.
	b.accounts[email] = &account{hash: hash, projects: []project{}}
	return 201, map[string]string{"role": "member"}
}

var dummyHash, _ = bcrypt.GenerateFromPassword([]byte("no account"), bcrypt.DefaultCost)

func (b *backend) login(w http.ResponseWriter, email, password string) (int, any) {
	b.mutex.Lock()
	user := b.accounts[email]
	b.mutex.Unlock()
	hash := dummyHash // An unknown email takes as long as a wrong password.
	if user != nil {
		hash = user.hash
	}
	if bcrypt.CompareHashAndPassword(hash, []byte(password)) != nil || user == nil {
		return refuse(401, "The email or the password is not right.")
	}
	token := newToken()
	b.sessions.Store(token, user)
	// The default path is the folder of this call, /api/v1/auth. With SameSite, and because bodies
	// have to be JSON, other sites cannot send a POST as this user.
	http.SetCookie(w, &http.Cookie{
		Name: "session", Value: token, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
	return 200, struct{}{}
}

func (b *backend) currentAccount(r *http.Request) *account {
	if cookie, err := r.Cookie("session"); err == nil {
		if user, ok := b.sessions.Load(cookie.Value); ok {
			return user.(*account)
		}
	}
	return nil
}

func newToken() string {
	token := make([]byte, 16)
	if _, err := rand.Read(token); err != nil {
		panic(err)
	}
	return hex.EncodeToString(token)
}

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Getenv("PORT"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("Ready at http://%s\n", listener.Addr())
	log.Fatal(http.Serve(listener, &backend{accounts: map[string]*account{}}))
}
