import { AdcpError } from '../../protocol/errors.ts'
import { type Field, fileText, flag, object } from '../fields.ts'
import type { ImportFile } from './import-document.ts'

/** A file that a person chose, in a form of the console or on the command line: its text, or the table of a workbook. */
export class ChosenFile {
  readonly file: ImportFile

  constructor(file: ImportFile) {
    this.file = file
  }
}

/** A file that a person chose. A request of the admin API holds none: it sends the text or the document. */
export function chosenFile(about: string): Field<ChosenFile, false> {
  const check = (value: unknown): value is ChosenFile => value instanceof ChosenFile
  const words = 'a file that a person chose; a request sends its content as document or csv'
  return { about, schema: {}, required: false, words, check, parse: undefined, local: true }
}

/** Members of an import: a JSON document, what it does to the rest, and whether it is only tried. */
export const DOCUMENT_IMPORT = {
  file: chosenFile('the file'),
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

interface FileForms {
  readonly file?: ChosenFile
  readonly document?: Readonly<Record<string, unknown>>
  readonly csv?: string
}

/** The file of an import. Throws INVALID_REQUEST unless exactly one form of it was sent. */
export function importFile(what: string, { file, document, csv }: FileForms): ImportFile {
  const forms = [
    file?.file,
    document && { name: `${what}.json`, sent: 'document' as const, text: JSON.stringify(document) },
    csv !== undefined ? { name: `${what}.csv`, sent: 'csv' as const, text: csv } : undefined,
  ].filter((form) => form !== undefined)
  const [form] = forms
  if (form && forms.length === 1) return form
  throw new AdcpError('INVALID_REQUEST', 'send the file once, as document or as csv', { field: 'document' })
}

/** How a file is imported. */
export function importHow({
  dry_run: dryRun = false,
  replace = false,
}: {
  readonly dry_run?: boolean
  readonly replace?: boolean
}) {
  return { dryRun, merge: !replace }
}
