import { fileText, flag, object } from '../operator/fields.ts'
import type { ImportFile } from '../operator/imports/import-document.ts'
import { AdcpError } from '../protocol/errors.ts'

/** Members of an import: a JSON document, what it does to the rest, and whether it is only tried. */
export const DOCUMENT_IMPORT = {
  document: object('the file, as JSON'),
  dry_run: flag('only check and compare'),
}

/** The same for files that leave out what they do not change. */
export const MERGED_IMPORT = {
  ...DOCUMENT_IMPORT,
  replace: flag('take away what the file does not list; default: it stays as it is'),
}

/** The same for files that may be tables. */
export const TABLE_IMPORT = { ...MERGED_IMPORT, csv: fileText('the file, as CSV, in place of document') }

/** The file of an import. Throws INVALID_REQUEST unless exactly one form of it was sent. */
export function importFile(
  what: string,
  { document, csv }: { readonly document?: Readonly<Record<string, unknown>>; readonly csv?: string },
): ImportFile {
  if (document && csv === undefined) return { name: `${what}.json`, text: JSON.stringify(document, undefined, 1) }
  if (csv !== undefined && !document) return { name: `${what}.csv`, text: csv }
  throw new AdcpError('INVALID_REQUEST', 'send the file as one of document and csv', { field: 'document' })
}

/** What an import is asked to do, beside its file. */
export function importHow({
  dry_run: dryRun = false,
  replace = false,
}: {
  readonly dry_run?: boolean
  readonly replace?: boolean
}) {
  return { dryRun, merge: !replace }
}
