/**
 * Writes src/protocol/later-members.ts: the names of request members that AdCP 3.1 and 3.2 have and 3.0 has not, by the place of 3.0's schemas
 * where they came in. Run by hand when a release is added: `npx tsx tools/later-members.ts <folder with 3.1 and 3.2>`. The folder is `_schemas`
 * of the Python package `adcp` 9.2.0.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ENVELOPE_MEMBERS } from '../src/protocol/envelope-members.ts'
import { type Schema, type SchemaDocuments, SchemaPlace } from '../src/protocol/schema-places.ts'
import { Schemas } from '../src/protocol/schemas.ts'

const LATER = ['3.1', '3.2'] as const
/** Deeper members of a request are assets and the like, of which each release has its own kinds. */
const MAX_DEPTH = 7

const folder = process.argv[2]
if (folder === undefined) throw new Error('say where the schemas are: npx tsx tools/later-members.ts <folder with 3.1 and 3.2>')
const schemas = new Schemas()
const { manifest } = schemas
const found = new Map<string, Map<string, string>>()
for (const release of LATER) {
  const documents = documentsOf(join(folder, release))
  for (const [task, { request_schema: path, mutating }] of Object.entries(manifest.tools)) {
    const now = existsSync(join(folder, release, path))
      ? schemas.requestPlace(mutating && task !== 'log_event' ? task : '')
      : undefined
    const document = documents.document(path)
    if (now && document) compare(now, new SchemaPlace(documents, [{ schema: document, document, place: `${path}#` }]), release, 0)
  }
}
const target = fileURLToPath(new URL('../src/protocol/later-members.ts', import.meta.url))
writeFileSync(target, render())
execFileSync('npx', ['biome', 'format', '--write', target])
console.log(`${found.size} places`)

function compare(now: SchemaPlace, later: SchemaPlace, release: string, depth: number): void {
  const [place] = now.places
  if (depth > MAX_DEPTH || place === undefined) return
  for (const name of later.names) {
    if (!now.names.has(name) && !(depth === 0 && ENVELOPE_MEMBERS.has(name))) note(place, name, release)
  }
  for (const name of now.names) {
    const [child, laterChild] = [now.declared(name), later.declared(name)]
    if (name !== 'ext' && name !== 'context' && child && laterChild) compare(child, laterChild, release, depth + 1)
  }
}

function note(place: string, name: string, release: string): void {
  const names = found.get(place) ?? new Map<string, string>()
  if (!names.has(name)) names.set(name, release)
  found.set(place, names)
}

/** Documents of a folder of schemas without identifiers, whose references are relative to the file or absolute. */
function documentsOf(root: string): SchemaDocuments & { document(path: string): Schema | undefined } {
  const read = new Map<string, Schema>()
  const document = (path: string): Schema | undefined => {
    if (!existsSync(join(root, path))) return undefined
    const known = read.get(path)
    if (known) return known
    const absolute = (_key: string, value: unknown) =>
      typeof value === 'string' && value.endsWith('.json') && !value.includes(' ') ? absoluteOf(value, path) : value
    const made: Schema = JSON.parse(readFileSync(join(root, path), 'utf8'), absolute)
    read.set(path, made)
    return made
  }
  return {
    document,
    resolveReference(reference) {
      const made = document(reference.replace(/#.*$/, '').replace(/^\/schemas\/[^/]+\//, ''))
      if (!made) throw new Error(`no schema ${reference}`)
      return made
    },
  }
}

function absoluteOf(reference: string, from: string): string {
  const path = reference.replace(/^https?:\/\/[^/]+/, '')
  return path.startsWith('/') ? path : `/schemas/later/${normalize(join(dirname(from), path))}`
}

function render(): string {
  const rows = [...found]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([place, names]) => {
      const members = [...names].toSorted().map(([name, release]) => `${name}: '${release}'`)
      return `  '${place}': { ${members.join(', ')} },`
    })
  return `/**
 * Members of requests that a later release defines and AdCP 3.0 does not, each with the release that brought it, by the place in the schemas of 3.0
 * (document, \`#\`, members down to the object). Written by tools/later-members.ts from the schemas in the Python package \`adcp\` 9.2.0.
 */
export const LATER_MEMBERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
${rows.join('\n')}
}
`
}
