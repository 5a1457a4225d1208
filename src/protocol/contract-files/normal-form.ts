import { ArchiveFault } from '../../platform/decode/archive-fault.ts'
import type { Schema } from '../schema-places.ts'

/** Keywords whose value maps names to schemas: a name in there is never a keyword. */
const MAPS = new Set(['properties', 'patternProperties', 'definitions', '$defs', 'dependencies', 'dependentSchemas'])

/** Keywords whose value is data: nothing in there is a schema. */
const DATA = new Set(['const', 'enum', 'default'])

/** What a schema says to people, and annotations that no validator reads. */
const PROSE = /^(?:title|description|\$comment|examples|enumDescriptions|enumMetadata|deprecated|x-.*)$/

/** References to published files: `https://adcontextprotocol.org/schemas/3.2.4/core/error.json`, `/schemas/3.1.27/core/error.json`. */
const PUBLISHED = /^(?:https:\/\/adcontextprotocol\.org)?\/schemas\/(?:(?:v?\d[^/]*|latest)\/)?(?<path>.+)$/

/**
 * A published schema document without its prose, identified by its place in the release line (`/schemas/3.1/core/error.json`), with every reference to
 * another document in the same form. 3.1 publishes relative references and 3.2 absolute ones; neither has `$id`s. Throws {@link ArchiveFault} for a
 * reference that leaves the schemas.
 */
export function normalDocument(line: string, path: string, document: Schema): Schema {
  const { $id: _, ...rest } = normalSchema(document, (reference) => normalReference(line, path, reference))
  return { $id: idOf(line, path), ...rest }
}

/** A document without its prose, its `$id` and references as they are. */
export function withoutProse(document: Schema): Schema {
  return normalSchema(document, (reference) => reference)
}

/** The `$id` of a document of a release line. */
export function idOf(line: string, path: string): string {
  return `/schemas/${line}/${path}`
}

/** Paths of the documents that a document in normal form refers to, itself left out. */
export function referencesOf(line: string, document: Schema): ReadonlySet<string> {
  const root = idOf(line, '')
  const found = new Set<string>()
  normalSchema(document, (reference) => {
    if (reference.startsWith(root)) found.add(reference.slice(root.length).split('#', 1)[0] ?? '')
    return reference
  })
  return found
}

function normalReference(line: string, path: string, reference: string): string {
  if (reference.startsWith('#')) return reference
  const published = PUBLISHED.exec(reference)?.groups?.path
  if (published !== undefined) return idOf(line, published)
  if (/^[a-z][a-z0-9+.-]*:/i.test(reference)) {
    throw new ArchiveFault(`${path} refers to ${reference}, which is not part of the schemas`)
  }
  const { pathname, hash } = new URL(reference, `schema:/${path}`)
  return `${idOf(line, pathname.slice(1))}${hash}`
}

function normalSchema(schema: Schema, reference: (value: string) => string): Schema {
  const entries = Object.entries(schema).flatMap(([keyword, value]): [string, unknown][] => {
    if (PROSE.test(keyword)) return []
    if (keyword === '$ref' && typeof value === 'string') return [[keyword, reference(value)]]
    if (DATA.has(keyword)) return [[keyword, value]]
    return [[keyword, MAPS.has(keyword) ? normalMap(value, reference) : normalValue(value, reference)]]
  })
  return Object.fromEntries(entries)
}

function normalMap(value: unknown, reference: (value: string) => string): unknown {
  if (!isSchema(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, normalValue(each, reference)]))
}

function normalValue(value: unknown, reference: (value: string) => string): unknown {
  if (Array.isArray(value)) return value.map((each) => normalValue(each, reference))
  return isSchema(value) ? normalSchema(value, reference) : value
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
