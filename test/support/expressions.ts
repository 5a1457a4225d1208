import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { vi } from 'vitest'
import { parseAst } from 'vitest/node'

/** A regular expression of a source file. */
export interface FoundExpression {
  /** File and line. */
  readonly place: string
  readonly expression: RegExp
}

/** Stands for what is put into a template at run time. */
const PUT_IN = 'x'

/**
 * Every regular expression literal below a folder, and every `RegExp(…)` of a text or a template. Those that are built of something else, and templates
 * with what is put into them, are recorded while their module is loaded, except in files named in `elsewhere`. Throws for one of which nothing is known:
 * nothing could be said about it.
 */
export async function expressionsBelow(folder: string, elsewhere: ReadonlySet<string>): Promise<FoundExpression[]> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && /\.tsx?$/.test(entry.name),
  )
  const found: FoundExpression[] = []
  for (const entry of files) {
    const file = join(entry.parentPath, entry.name)
    const [built, filled]: [string[], string[]] = [[], []]
    const note = (place: string, isFilled: boolean) => (isFilled ? filled : built).push(place)
    found.push(...expressionsIn(readFileSync(file, 'utf8'), relative(process.cwd(), file), note))
    const isElsewhere = elsewhere.has(relative(process.cwd(), file))
    if (isElsewhere || built.length + filled.length === 0) continue
    const made = await builtBy(file)
    if (built.length > 0 && made.length === 0) throw new Error(`${built.join(', ')}: what is built here cannot be looked at`)
    found.push(...made.map((expression) => ({ place: [...built, ...filled].join(', '), expression })))
  }
  return found
}

/** What a module makes with `new RegExp` while it is loaded. */
async function builtBy(file: string): Promise<RegExp[]> {
  const made: RegExp[] = []
  const Plain = RegExp
  class Recorded extends Plain {
    constructor(pattern: string | RegExp, flags?: string) {
      super(pattern, flags)
      made.push(new Plain(pattern, flags))
    }
  }
  vi.resetModules()
  vi.stubGlobal('RegExp', Recorded)
  try {
    await import(resolve(file))
  } finally {
    vi.unstubAllGlobals()
  }
  return made
}

/**
 * The regular expressions of one source text; `onBuilt` is called for one that is built of something else than a text or a template, and with `isFilled` for
 * a template with something put into it.
 */
export function expressionsIn(
  source: string,
  name: string,
  onBuilt: (place: string, isFilled: boolean) => void,
): FoundExpression[] {
  const found: FoundExpression[] = []
  const placeOf = (start: number) => `${name}:${source.slice(0, start).split('\n').length}`
  visit(parseAst(source, { lang: name.endsWith('x') ? 'tsx' : 'ts' }), (node) => {
    const { type, start } = node
    if (type === 'Literal' && isNode(node.regex)) {
      const { pattern, flags } = node.regex
      found.push({ place: placeOf(Number(start)), expression: new RegExp(String(pattern), String(flags)) })
    }
    const isConstructor =
      (type === 'NewExpression' || type === 'CallExpression') && isNode(node.callee) && node.callee.name === 'RegExp'
    if (!isConstructor || !Array.isArray(node.arguments)) return
    const [pattern, flags] = node.arguments
    const text = textOf(pattern)
    const isFilled = isNode(pattern) && Array.isArray(pattern.quasis) && pattern.quasis.length > 1
    if (text === undefined || isFilled) onBuilt(placeOf(Number(start)), isFilled)
    if (text !== undefined) found.push({ place: placeOf(Number(start)), expression: new RegExp(text, textOf(flags) ?? '') })
  })
  return found
}

function textOf(node: unknown): string | undefined {
  if (!isNode(node)) return undefined
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value
  if (node.type !== 'TemplateLiteral' || !Array.isArray(node.quasis)) return undefined
  return node.quasis.map((part) => part.value.cooked).join(PUT_IN)
}

function visit(node: unknown, look: (node: Record<string, unknown>) => void): void {
  if (Array.isArray(node)) for (const each of node) visit(each, look)
  else if (isNode(node)) {
    look(node)
    for (const child of Object.values(node)) visit(child, look)
  }
}

function isNode(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !(value instanceof RegExp)
}
