import { ArchiveFault } from '../../platform/decode/archive-fault.ts'
import type { Manifest } from '../manifest.ts'
import type { Schema } from '../schema-places.ts'
import type { ArchiveRelease } from './archive-release.ts'
import { normalDocument, referencesOf } from './normal-form.ts'

/** The schemas of one release line as the server uses them: without prose, in normal form, and only those that a task can reach. */
export interface ContractDocuments {
  readonly line: string
  readonly patch: string
  readonly manifest: Manifest
  /** By official relative path. */
  readonly documents: ReadonlyMap<string, Schema>
  /** Paths of the documents that are judged on their own: requests, answers, webhooks, public files. */
  readonly roots: readonly string[]
}

/** What a server judges beside requests and answers: public files, polling, what webhooks carry and what notifications are, and what people import. */
const FURTHER_ROOTS: readonly string[] = [
  'adagents.json',
  'brand.json',
  'core/account.json',
  'core/collection.json',
  'core/delivery-metrics.json',
  'core/format.json',
  'core/product.json',
  'core/property.json',
  'core/tasks-get-request.json',
  'core/tasks-get-response.json',
  'core/tasks-list-request.json',
  'core/tasks-list-response.json',
]
/** Messages and registrations of Trusted Match, which belong to no task. */
const TRUSTED_MATCH = /^trusted-match\//
/** Prices of one model, e.g. `pricing-options/cpm-option.json`. */
const PRICES = /^pricing-options\/[a-z-]+-option\.json$/
const WEBHOOKS = /(?:^|\/)[a-z-]*webhook(?:-payload|-result|-challenge|-challenge-response)?\.json$/

/** Roots of a release, of the paths that it has. */
export function rootsOf(manifest: Manifest, paths: Iterable<string>): readonly string[] {
  const there = new Set(paths)
  const tools = Object.values(manifest.tools).flatMap((tool) => [
    tool.request_schema,
    tool.response_schema,
    ...(tool.async_response_schemas ?? []),
  ])
  const patterned = [...there].filter((path) => WEBHOOKS.test(path) || TRUSTED_MATCH.test(path) || PRICES.test(path))
  return [...new Set([...tools, ...FURTHER_ROOTS, ...patterned])].filter((path) => there.has(path)).sort()
}

/**
 * Takes from a release what its tasks reach. Throws {@link ArchiveFault} when the manifest names a schema that is not there, or a schema refers to one.
 */
export function contractDocuments({ line, patch, manifest, documents: published }: ArchiveRelease): ContractDocuments {
  for (const [name, tool] of Object.entries(manifest.tools)) {
    for (const path of [tool.request_schema, tool.response_schema]) {
      if (!published.has(path)) throw new ArchiveFault(`AdCP ${patch}: ${path} of the task ${name} is missing`)
    }
  }
  const roots = rootsOf(manifest, published.keys())
  const documents = new Map<string, Schema>()
  const open = [...roots]
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (documents.has(path)) continue
    const document = published.get(path)
    if (!document) throw new ArchiveFault(`AdCP ${patch}: ${path} is missing, though another schema refers to it`)
    const normal = normalDocument(line, path, document)
    documents.set(path, normal)
    open.push(...referencesOf(line, normal))
  }
  return { line, patch, manifest, documents, roots }
}
