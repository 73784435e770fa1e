require 'json'
require 'json-schema'

cases = JSON.parse(STDIN.read)
# `json: false`: a text is a value, not a document or an address.
puts cases.map { |c| JSON::Validator.validate(c['schema'], c['value'], parse_data: false) }.to_json
