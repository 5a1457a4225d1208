import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
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
 * Every regular expression literal below a folder, and every `RegExp(…)` of a text or a template. Throws for one that is built of something else:
 * nothing could be said about it.
 */
export function expressionsBelow(folder: string): FoundExpression[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && /\.tsx?$/.test(entry.name),
  )
  return files.flatMap((entry) => {
    const file = join(entry.parentPath, entry.name)
    return expressionsIn(readFileSync(file, 'utf8'), relative(process.cwd(), file))
  })
}

/** The regular expressions of one source text. */
export function expressionsIn(source: string, name: string): FoundExpression[] {
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
    if (text === undefined)
      throw new Error(`${placeOf(Number(start))}: a regular expression is built of something else than a text or a template`)
    found.push({ place: placeOf(Number(start)), expression: new RegExp(text, textOf(flags) ?? '') })
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
