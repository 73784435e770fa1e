/** Mutants of the charts, which StrykerJS cannot make. */
import ts from 'typescript';
import { excerpt, numbered, type Mutant } from './mutant.ts';

type Change = { node: ts.Node; name: string; text: string };

/** What a state or a transition does without, one at a time. */
const optional = new Set(
  ['on', 'after', 'invoke', 'onDone', 'onError', 'always'].concat([
    'guard',
    'reenter',
    'input',
    'params',
    'entry',
    'exit',
    'actions',
  ]),
);

/** Returns the mutants of the charts in a file, in the order of the source. */
export function chartMutants(file: string, source: string): Mutant[] {
  const changes: Change[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAssignment(node)) changes.push(...changesOf(node));
    ts.forEachChild(node, visit);
  };
  const findCharts = (node: ts.Node): void => {
    const isChart =
      ts.isCallExpression(node) && node.expression.getText().endsWith('.createMachine');
    if (isChart) node.arguments.forEach(visit);
    else ts.forEachChild(node, findCharts);
  };
  findCharts(ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true));
  const nameOf = numbered();
  return changes.map(({ node, name, text }) => ({
    file,
    name: nameOf(`${file}: ${pathOf(node)}: ${name}`),
    start: node.getStart(),
    end: node.getEnd(),
    text,
  }));
}

function changesOf(node: ts.PropertyAssignment): Change[] {
  const { initializer } = node;
  const name = node.name.getText();
  if (name === 'target' || name === 'initial') {
    const [, dot, current] = /'(\.?)(\w+)'/.exec(initializer.getText())!;
    return siblings(node)
      .filter((state) => state !== current)
      .map((state) => ({ node, name: state, text: `${name}: '${dot}${state}'` }));
  }
  const isTransition = /^(on|after)$/.test(ownerOf(node)?.name.getText() ?? '');
  if (!optional.has(name) && !isTransition) return [];
  if (ts.isArrayLiteralExpression(initializer)) {
    return initializer.elements.map((element) => {
      const others = initializer.elements.filter((other) => other !== element);
      const text = `${name}: [${others.map((other) => other.getText()).join(', ')}]`;
      return { node, name: `without ${excerpt(element.getText())}`, text };
    });
  }
  // The transitions of a map are left out one by one.
  return name === 'on' || name === 'after' ? [] : [{ node, name: 'left out', text: '...{}' }];
}

/** Returns the property whose value is the object that has this property. */
function ownerOf({ parent }: ts.Node): ts.PropertyAssignment | undefined {
  return ts.isPropertyAssignment(parent.parent) ? parent.parent : undefined;
}

/** Returns the states beside the one that has the property, or below for `initial`. */
function siblings(property: ts.Node): string[] {
  for (let node = property.parent; node; node = node.parent) {
    if (!ts.isObjectLiteralExpression(node)) continue;
    const states = node.properties.find((child) => child.name?.getText() === 'states');
    if (states && ts.isPropertyAssignment(states)) {
      const { properties } = states.initializer as ts.ObjectLiteralExpression;
      return properties.map((state) => state.name!.getText());
    }
  }
  return [];
}

/** Returns the names of the properties around a node, the outermost first. */
function pathOf(node: ts.Node): string {
  const names: string[] = [];
  for (let at: ts.Node = node; at.parent; at = at.parent) {
    if (ts.isPropertyAssignment(at)) names.unshift(at.name.getText());
  }
  return names.filter((name) => name !== 'states').join(' > ');
}
