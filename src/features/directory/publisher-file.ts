import { type Property, stringsOf } from '../../domain/directory/property.ts'
import { isObject } from '../../protocol/is-object.ts'
import type { Db } from '../../store/database.ts'
import { findBody } from '../../store/directory/directory-documents.ts'
import { findPublisher } from '../../store/directory/directory-publishers.ts'
import { readAdagents } from './fetch-adagents.ts'

/** What the file that speaks for a publisher declares of it. */
export interface PublisherFile {
  readonly properties: readonly Property[]
  /** AdCP core/collection.json objects, unchecked. */
  readonly collections: readonly Readonly<Record<string, unknown>>[]
}

/** Files that one call may parse; a file of a large manager is some megabytes. */
const MOST_FILES = 16

/**
 * The declarations of publishers as far as the index keeps their text: files that several publishers share (a manager's, the target of a pointer).
 * A domain that is not crawled, not verified, or whose own file is stored as claims only, is absent. Reads the store, no network.
 */
export async function readPublisherFiles(db: Db, domains: readonly string[]): Promise<ReadonlyMap<string, PublisherFile>> {
  const parsed = new Map<string, ParsedBody | undefined>()
  const files = new Map<string, PublisherFile>()
  for (const domain of domains) {
    const documentId = (await findPublisher(db, domain))?.route_document_id
    if (documentId === undefined || documentId === null) continue
    if (!parsed.has(documentId) && parsed.size < MOST_FILES) parsed.set(documentId, await parse(await findBody(db, documentId)))
    const file = parsed.get(documentId)
    if (file) files.set(domain, partOf(file, domain))
  }
  return files
}

interface ParsedBody {
  readonly properties: readonly Property[]
  readonly collections: readonly Readonly<Record<string, unknown>>[]
}

/** Undefined for what names no agents: a pointer, or the manager's name from an ads.txt, the one stored body that is no JSON. */
async function parse(body: string | undefined): Promise<ParsedBody | undefined> {
  const read = body === undefined ? undefined : await readAdagents(body)
  if (read?.file.kind !== 'inline') return undefined
  const { document } = read
  const collections = isObject(document) && Array.isArray(document.collections) ? document.collections.filter(isObject) : []
  return { properties: read.file.properties, collections }
}

/** A file of many publishers: only what names the domain is the domain's. */
function partOf({ properties, collections }: ParsedBody, domain: string): PublisherFile {
  const distributedAt = (collection: Readonly<Record<string, unknown>>) =>
    Array.isArray(collection.distribution)
      ? stringsOf(collection.distribution.map((each: unknown) => isObject(each) && each.publisher_domain))
      : []
  return {
    properties: properties.filter(({ publisherDomain }) => publisherDomain === domain),
    collections: collections.filter((each) => each.publisher_domain === domain || distributedAt(each).includes(domain)),
  }
}
