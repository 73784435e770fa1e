use strict;
use warnings;
use JSON::Validator;
use Mojo::JSON qw(decode_json encode_json);

local $/;
my $cases = decode_json(<STDIN>);
my @results = map {
    my @errors = JSON::Validator->new->schema($_->{schema})->validate($_->{value});
    @errors ? \0 : \1;
} @$cases;
print encode_json(\@results);
