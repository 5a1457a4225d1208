import { createReadStream } from 'node:fs'
import { createGunzip } from 'node:zlib'
import type { Config } from '../../config/config.ts'
import { dropOldRows, type ImportResult, importSnapshot } from '../../features/directory/import-snapshot.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { deleteMirror, listMirrors } from '../../store/directory/directory-mirrors.ts'
import { defineAct } from '../act.ts'
import { auditedStore } from '../audited-store.ts'
import { changedMembers } from '../changed-members.ts'
import { required, text } from '../fields.ts'
import type { OperatorContext } from '../operator-context.ts'
import { ADMINISTRATORS } from '../roles.ts'
import { about, boolean, integer, list, moment, named, object, orNull, pageOf, string } from '../shape.ts'

// Several acts in one file: they list, change and remove the same thing.

export type { ImportResult }

/**
 * Imports the snapshot of another directory from a file (NDJSON, gzip where the name ends in .gz) as a mirror. Throws INVALID_REQUEST for a source that is no
 * https address, a file that cannot be read, and what is no snapshot.
 */
export async function importMirror(
  context: OperatorContext,
  { file, source, syncCursor }: { readonly file: string; readonly source: string; readonly syncCursor?: string | undefined },
): Promise<ImportResult & { readonly source: string }> {
  const name = requireSource(source, context.config.mode)
  const { store, clock } = context
  const audited = auditedStore(context, { task: 'directory.mirror.import', subject: name })
  try {
    const result = await importSnapshot({ store, audited, clock }, { source: name, syncCursor, text: textOf(file) })
    return { source: name, ...result }
  } catch (error) {
    if (error instanceof AdcpError || !isFileError(error)) throw error
    throw new AdcpError('INVALID_REQUEST', `${file} ${fileFault(error.code)}`, { field: 'file', cause: error })
  }
}

/** Removes the imported snapshot of another directory. Throws REFERENCE_NOT_FOUND for one that was not imported. */
export const removeMirror = defineAct({
  name: 'directory.remove-mirror',
  route: 'DELETE /deployment/directory/mirrors',
  id: 'removeMirror',
  roles: ADMINISTRATORS,
  scope: 'deployment',
  summary: 'Removes the imported snapshot of another directory.',
  fields: { source: required(text('address of the directory')) },
  answer: object({ source: string, removed: boolean }),
  command: { words: 'directory mirror remove', args: ['source'], text: ({ source }) => [`${source} is forgotten`] },
  async run({ store, config, noteSubject, noteChanges }, { source }) {
    const name = requireSource(source, config.mode)
    noteSubject(name)
    await store.transaction(async (tx) => {
      const mirror = (await listMirrors(tx)).find((each) => each.source === name)
      if (mirror) noteChanges(changedMembers({ rows: mirror.row_count, imported_at: mirror.imported_at }, {}))
      if (await deleteMirror(tx, name)) return
      throw new AdcpError('REFERENCE_NOT_FOUND', `no snapshot of ${name} was imported`, { field: 'source' })
    })
    await dropOldRows(store)
    return { source: name, removed: true }
  },
})

export const listDirectoryMirrors = defineAct({
  name: 'directory.list-mirrors',
  route: 'GET /deployment/directory/mirrors',
  id: 'listMirrors',
  roles: ADMINISTRATORS,
  scope: 'deployment',
  summary: 'Directories whose snapshots were imported.',
  fields: {},
  answer: pageOf(
    named(
      'DirectoryMirrorRow',
      object({
        source: about('base address of the directory, which names it', string),
        generation: about('the import that counts; null before the first has ended', orNull(string)),
        pending: about('the import that is under way, or was broken off', orNull(string)),
        imported_at: orNull(moment),
        sync_cursor: about('X-Sync-Cursor of the snapshot, where it was given', orNull(string)),
        row_count: integer,
      }),
    ),
  ),
  command: {
    words: 'directory mirror list',
    columns: [
      ['source', ({ source }) => source],
      ['rows', (row) => String(row.row_count)],
      ['imported', (row) => row.imported_at ?? ''],
      ['sync cursor', (row) => row.sync_cursor ?? ''],
    ],
  },
  run: async ({ store }) => list(await listMirrors(store.read)),
})

async function* textOf(file: string): AsyncGenerator<string> {
  const stream = createReadStream(file)
  const bytes = file.endsWith('.gz') ? stream.pipe(createGunzip()) : stream
  // `pipe` does not hand errors on.
  if (bytes !== stream) stream.once('error', (error) => bytes.destroy(error))
  const decoder = new TextDecoder()
  for await (const chunk of bytes) yield decoder.decode(chunk, { stream: true })
  yield decoder.decode()
}

/** What an error of the file system or of gzip says of a file, after its name. */
function fileFault(code: string): string {
  if (code === 'ENOENT') return 'is not there'
  if (code === 'Z_BUF_ERROR') return 'ends before its gzip data do: it was cut off, transfer it again'
  if (code.startsWith('Z_')) return 'is no gzip data, which a name that ends in .gz promises'
  return `cannot be read: ${code}`
}

/** In development the directory may answer over http. */
function requireSource(source: string, mode: Config['mode']): string {
  const url = URL.canParse(source) ? new URL(source) : undefined
  const isWeb = url?.protocol === 'https:' || (url?.protocol === 'http:' && mode === 'development')
  if (url && isWeb && url.username === '' && source.length <= 500) return url.origin
  throw new AdcpError('INVALID_REQUEST', 'the source must be the https address of a directory, e.g. https://directory.example', {
    field: 'source',
  })
}

function isFileError(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
}
