/** Faults made mechanically: small changes of the source, one at a time, each of which some test must notice. */
import ts from 'typescript';

export type Mutant = { file: string; name: string; start: number; end: number; text: string };

type Change = { node: ts.Node; what: string; text: string };

/** Every fault that can be made in a file by these rules, in the order of the source. */
export function mutantsOf(file: string, source: string): Mutant[] {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const changes: Change[] = [];
  const visit = (node: ts.Node) => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isInterfaceDeclaration(node))
      return;
    if (ts.isTypeAliasDeclaration(node)) return;
    // What a transition carries for its readers makes no difference to anybody else.
    if (ts.isPropertyAssignment(node) && ['meta', 'id'].includes(node.name.getText())) return;
    changes.push(...changesOf(node));
    ts.forEachChild(node, visit);
  };
  visit(tree);

  const names = new Map<string, number>();
  return changes.map(({ node, what, text }) => {
    const code = node.getText().replace(/\s+/g, ' ');
    const short = code.length > 60 ? `${code.slice(0, 57)}...` : code;
    const place = [...containers(node)].join(' > ');
    const name = `${file}: ${place ? `${place}: ` : ''}${what}: ${short}`;
    const times = (names.get(name) ?? 0) + 1;
    names.set(name, times);
    expectToParse(
      file,
      name,
      source.slice(0, node.getStart()) + text + source.slice(node.getEnd()),
    );
    return {
      file,
      name: times > 1 ? `${name} (${times})` : name,
      start: node.getStart(),
      end: node.getEnd(),
      text,
    };
  });
}

/** The source with the fault in it. A loop that never ends throws instead: nobody could stop the thread that it holds. */
export function faulty(source: string, { name, start, end, text }: Mutant): string {
  const turns = `globalThis[${JSON.stringify(name)}]`;
  const ended = `if ((${turns} = (${turns} ?? 0) + 1) > 1e7) throw new Error('This loop does not end.');`;
  return (source.slice(0, start) + text + source.slice(end)).replaceAll(
    /^ *(for|while) \(.*\) \{$/gm,
    (line) => `${line}\n${ended}`,
  );
}

/** What does not even parse is no fault that anybody could ship. */
function expectToParse(fileName: string, name: string, source: string) {
  const { diagnostics } = ts.transpileModule(source, {
    reportDiagnostics: true,
    fileName,
    compilerOptions: { jsx: ts.JsxEmit.Preserve, target: ts.ScriptTarget.Latest },
  });
  if (diagnostics?.length) throw new Error(`It does not parse: ${name}`);
}

function changesOf(node: ts.Node): Change[] {
  if (ts.isPropertyAssignment(node)) return changesOfProperty(node);
  if (
    ts.isArrayLiteralExpression(node) &&
    isNamed(node.parent, 'actions', 'entry', 'exit', 'onDone')
  ) {
    return node.elements.map((element) => ({
      node,
      what: `without ${shortly(element)}`,
      text: `[${node.elements
        .filter((other) => other !== element)
        .map((other) => other.getText())
        .join(', ')}]`,
    }));
  }
  if (ts.isBinaryExpression(node)) {
    const other = opposite[node.operatorToken.getText()];
    const { left, right } = node;
    return other
      ? [{ node, what: other, text: `${left.getText()} ${other} ${right.getText()}` }]
      : [];
  }
  if (ts.isConditionalExpression(node)) {
    const { condition, whenTrue, whenFalse } = node;
    return [
      {
        node,
        what: 'the other way round',
        text: `(${condition.getText()} ? ${whenFalse.getText()} : ${whenTrue.getText()})`,
      },
    ];
  }
  if (ts.isIfStatement(node)) {
    const { expression } = node;
    return [
      { node: expression, what: 'never', text: 'false' },
      { node: expression, what: 'always', text: 'true' },
    ];
  }
  if (ts.isExpressionStatement(node) && !ts.isStringLiteral(node.expression)) {
    return [{ node, what: 'left out', text: ';' }];
  }
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken) {
    return [{ node, what: 'without the not', text: node.operand.getText() }];
  }
  if (node.kind === ts.SyntaxKind.TrueKeyword) return [{ node, what: 'false', text: 'false' }];
  if (node.kind === ts.SyntaxKind.FalseKeyword) return [{ node, what: 'true', text: 'true' }];
  if (isNegative(node)) {
    return [{ node, what: 'one more', text: String(1 - Number(node.operand.getText())) }];
  }
  if (ts.isNumericLiteral(node)) {
    if (isNegative(node.parent)) return [];
    return [{ node, what: 'one more', text: String(Number(node.text.replaceAll('_', '')) + 1) }];
  }
  if (ts.isSpreadElement(node)) return [{ node, what: 'left out', text: '...[]' }];
  if (ts.isJsxAttribute(node)) return [{ node, what: 'no attribute', text: '' }];
  if (ts.isJsxSpreadAttribute(node)) return [{ node, what: 'no attributes', text: '' }];
  if ((ts.isJsxElement(node) || ts.isJsxSelfClosingElement(node)) && isInJsx(node)) {
    return [{ node, what: 'nothing', text: '' }];
  }
  if (ts.isJsxText(node) && node.text.trim() !== '') {
    return [{ node, what: 'other words', text: 'other words' }];
  }
  if (isWords(node)) return [{ node, what: 'other words', text: `'other words'` }];
  return [];
}

/** In a chart: whatever a state does is left out, or leads elsewhere. */
function changesOfProperty(node: ts.PropertyAssignment): Change[] {
  const name = node.name.getText();
  const value = node.initializer.getText();
  const left = { node, what: 'left out', text: '...{}' };
  if (name === 'target' || name === 'initial') {
    const states = statesBeside(node).filter((state) => !value.endsWith(`${state}'`));
    const dot = value.startsWith("'.") ? '.' : '';
    return states.map((state) => ({ node, what: state, text: `${name}: '${dot}${state}'` }));
  }
  const ofChart = [
    'guard',
    'reenter',
    'onError',
    'onDone',
    'invoke',
    'input',
    'entry',
    'exit',
    'after',
    'actions',
  ];
  if (ofChart.includes(name)) {
    const many = ts.isArrayLiteralExpression(node.initializer) || isMap(node.initializer);
    return many ? [] : [left];
  }
  // One event of one state.
  const owner = node.parent.parent;
  return ts.isPropertyAssignment(owner) && isNamed(owner, 'on', 'after') ? [left] : [];
}

/** Implementations by their names, or delays by theirs. */
function isMap(node: ts.Node): boolean {
  return (
    ts.isObjectLiteralExpression(node) &&
    node.properties.every(
      (property) => !['type', 'src', 'target'].includes(property.name?.getText() ?? ''),
    )
  );
}

/** Other states that the one written here could be confused with. */
function statesBeside(node: ts.Node): string[] {
  for (let at = node.parent; at; at = at.parent) {
    if (!ts.isObjectLiteralExpression(at)) continue;
    const states = at.properties.find((property) => isNamed(property, 'states'));
    if (
      states &&
      ts.isPropertyAssignment(states) &&
      ts.isObjectLiteralExpression(states.initializer)
    ) {
      return states.initializer.properties.map((property) => property.name?.getText() ?? '');
    }
  }
  return [];
}

const opposite: Record<string, string> = {
  '===': '!==',
  '!==': '===',
  '&&': '||',
  '||': '&&',
  '??': '&&',
  '>': '<=',
  '>=': '<',
  '<': '>=',
  '+': '-',
};

function isWords(node: ts.Node): boolean {
  if (!ts.isStringLiteral(node) || ts.isJsxAttribute(node.parent)) return false;
  if (ts.isPropertyAssignment(node.parent) && node.parent.name === node) return false;
  return /^[A-Z].*|.* .*|^\/.*$/.test(node.text);
}

function isNegative(node: ts.Node): node is ts.PrefixUnaryExpression {
  return ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.MinusToken;
}

function isInJsx(node: ts.Node): boolean {
  return ts.isJsxElement(node.parent) || ts.isJsxFragment(node.parent);
}

function isNamed(node: ts.Node, ...names: string[]): boolean {
  return ts.isPropertyAssignment(node) && names.includes(node.name.getText());
}

/** The names around a node: of functions, variables and properties, the outermost first. */
function containers(node: ts.Node): string[] {
  const parent = node.parent as ts.Node | undefined;
  if (!parent) return [];
  const named =
    ts.isPropertyAssignment(parent) ||
    ts.isFunctionDeclaration(parent) ||
    ts.isVariableDeclaration(parent) ||
    ts.isMethodDeclaration(parent);
  const name = named ? parent.name?.getText().replace(/\s+/g, ' ') : undefined;
  const skipped = name === undefined || ['states', 'on', 'actions'].includes(name);
  return [...containers(parent), ...(skipped ? [] : [name])];
}

function shortly(node: ts.Node): string {
  const code = node.getText().replace(/\s+/g, ' ');
  return code.length > 50 ? `${code.slice(0, 47)}...` : code;
}
