<?php
require 'JsonSchema/autoload.php';

$cases = json_decode(stream_get_contents(STDIN));
echo json_encode(array_map(function ($case) {
    $validator = new JsonSchema\Validator();
    $validator->validate($case->value, $case->schema);
    return $validator->isValid();
}, $cases));
