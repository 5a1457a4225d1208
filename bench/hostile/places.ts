import { createHash } from 'node:crypto'
import type { Schema, Schemas } from '../../src/protocol/schemas.ts'
import { type Form, followed, formsOf, isRecord, numberIn, type SchemaNode, typeOf } from './schema-node.ts'
import { type Smallest, singular } from './smallest.ts'

export type Kind = 'text' | 'list' | 'map' | 'number'

/** Where a request takes a value that can be large. */
export interface Place {
  /** Names that lead to it, `[]` for items: `packages[].name`. */
  readonly path: string
  /** The schema node, the same however it is reached. */
  readonly at: string
  readonly kind: Kind
  readonly schema: Schema
  /** The name of the member that holds it. */
  readonly name: string
  /** Item `index` of a list, or value of a map, in its smallest form. */
  readonly item: (index: number) => unknown
  /** A request like the given one with this value there. */
  readonly put: (request: unknown, value: unknown) => unknown
}

type Put = Place['put']
/** A schema that a release took over from another as it was is the same one. */
const RELEASE = /^\/schemas\/[^/]+\//
/** Members inside members are followed as deep as this; each node is visited once, so that cycles end by themselves. */
const MAX_DEPTH = 12
const KINDS: Readonly<Record<string, Kind>> = {
  string: 'text',
  array: 'list',
  object: 'map',
  number: 'number',
  integer: 'number',
}

/** Every place of a request that its schema names; nodes in `seen` are left out, and those that are found are added to it. */
export function placesOf(
  schemas: Schemas,
  smallest: Smallest,
  root: SchemaNode,
  { seen, depth = MAX_DEPTH }: { readonly seen: Set<string>; readonly depth?: number },
): Place[] {
  const found: Place[] = []
  const visit = (node: SchemaNode, name: string, path: string, put: Put, left: number): void => {
    const { at, schema: itself } = followed(schemas, node)
    const identity = `${at.replace(RELEASE, '')} ${createHash('sha256').update(JSON.stringify(itself)).digest('base64')}`
    if (seen.has(identity) || left === 0) return
    seen.add(identity)
    const isNew = !seen.has(ownWords(at, itself))
    seen.add(ownWords(at, itself))
    for (const form of formsOf(schemas, node)) {
      const { schema, items, others } = form
      const kind = KINDS[typeOf(form) ?? '']
      const isChosen = 'const' in schema || Array.isArray(schema.enum)
      const entry = items ?? others
      const item = (index: number) => (entry ? smallest.of(entry, singular(name), index) : index)
      const first = kind !== undefined && !found.some((each) => each.at === at && each.kind === kind)
      if (kind && first && isNew)
        found.push({ path: path || '(all)', at, kind: isChosen ? 'text' : kind, schema, name, item, put })
      if (kind === 'list' && items) visit(items, singular(name), `${path}[]`, (request, value) => put(request, [value]), left - 1)
      if (kind === 'map') visitMembers(form, name, path, put, left)
      if (kind === 'map' && others) visit(others, name, `${path}.*`, (request, value) => put(request, { x: value }), left - 1)
    }
  }
  const visitMembers = (form: Form, name: string, path: string, put: Put, left: number): void => {
    for (const [member, node] of form.members) {
      const within: Put = (request, value) => {
        const whole = path === '' ? request : smallest.ofForm(form, name)
        return put(request, { ...(isRecord(whole) && whole), [member]: value })
      }
      visit(node, member, path === '' ? member : `${path}.${member}`, within, left - 1)
    }
  }
  visit(root, '', '', (_request, value) => value, depth)
  return found
}

/** What says nothing about values. */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  '$comment',
  'default',
  'deprecated',
  'description',
  'examples',
  'title',
  'x-status',
])
/** Schemas inside a schema, which are nodes of their own. */
const NESTED: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs', 'definitions'])
const BRANCHES: ReadonlySet<string> = new Set([
  'items',
  'additionalProperties',
  'allOf',
  'anyOf',
  'oneOf',
  'if',
  'then',
  'else',
  'not',
])

/** Says of a node what it allows by itself: a release that words it otherwise, or changes a member of it, has the same one. */
function ownWords(at: string, schema: Schema): string {
  const words = Object.entries(schema).flatMap(([name, value]) => {
    if (ANNOTATIONS.has(name)) return []
    if (NESTED.has(name)) return [[name, isRecord(value) ? Object.keys(value) : value]]
    if (BRANCHES.has(name)) return [[name, typeof value === 'object' ? Object.keys(value ?? {}).length : value]]
    return [[name, value]]
  })
  return `own ${at.replace(RELEASE, '')} ${createHash('sha256').update(JSON.stringify(words)).digest('base64')}`
}

/** The most items, characters or members that the schema of a place allows; undefined where it sets no limit. */
export function limitIn({ kind, schema }: Pick<Place, 'kind' | 'schema'>): number | undefined {
  if (kind === 'text') return numberIn(schema, 'maxLength')
  if (kind === 'list') return numberIn(schema, 'maxItems')
  return kind === 'map' ? numberIn(schema, 'maxProperties') : undefined
}
