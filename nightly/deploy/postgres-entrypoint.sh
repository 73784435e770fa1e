#!/bin/sh
# Replaces the entrypoint of docker.io/library/postgres, with Debian's PostgreSQL.
set -eu
PATH=$(echo /usr/lib/postgresql/*/bin):$PATH
as_postgres="setpriv --reuid postgres --regid postgres --clear-groups"
export PGDATA=/var/lib/postgresql/data
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  chown postgres "$PGDATA"
  $as_postgres initdb --username "$POSTGRES_USER" --pwfile "$POSTGRES_PASSWORD_FILE" \
    --auth-local trust --auth-host scram-sha-256
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
  echo "create database $POSTGRES_DB" | $as_postgres postgres --single -D "$PGDATA" postgres
fi
exec $as_postgres postgres -c "listen_addresses=*" -c unix_socket_directories=/tmp
