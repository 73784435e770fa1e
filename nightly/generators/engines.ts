/** The JSON Schema validators of Debian, for languages whose generators need more than npm. */

export interface Engine {
  /** Reads cases as JSON and prints a list of booleans. In this folder. */
  command: string[];
  env?: Record<string, string>;
  /** Names of Debian's packages. */
  packages: string;
}

export const engines: Record<string, Engine> = {
  Go: {
    command: ['go', 'run', 'engines/validate.go'],
    env: { GO111MODULE: 'off', GOPATH: '/usr/share/gocode' },
    packages: 'golang-go golang-github-xeipuuv-gojsonschema-dev',
  },
  // Not the Python of a version manager, which lacks Debian's packages.
  Python: {
    command: ['/usr/bin/python3', 'engines/validate.py'],
    packages: 'python3-jsonschema',
  },
  PHP: {
    command: ['php', 'engines/validate.php'],
    packages: 'php-cli php-mbstring php-json-schema',
  },
  Ruby: { command: ['ruby', 'engines/validate.rb'], packages: 'ruby ruby-json-schema' },
  Perl: { command: ['perl', 'engines/validate.pl'], packages: 'libjson-validator-perl' },
};
