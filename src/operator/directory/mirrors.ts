import { createReadStream } from 'node:fs'
import { createGunzip } from 'node:zlib'
import { dropOldRows, type ImportResult, importSnapshot } from '../../features/directory/import-snapshot.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { type DirectoryMirrorRow, deleteMirror, listMirrors } from '../../store/directory/directory-mirrors.ts'
import { auditedStore } from '../audited-store.ts'
import type { OperatorContext } from '../operator-context.ts'

export type { DirectoryMirrorRow, ImportResult }

/**
 * Imports the snapshot of another directory from a file (NDJSON, gzip where the name ends in .gz) as a mirror. Throws INVALID_REQUEST for a source that is no
 * https address, a file that cannot be read, and what is no snapshot.
 */
export async function importMirror(
  context: OperatorContext,
  { file, source, syncCursor }: { readonly file: string; readonly source: string; readonly syncCursor?: string | undefined },
): Promise<ImportResult & { readonly source: string }> {
  const name = requireSource(source)
  const { store, clock } = context
  const audited = auditedStore(context, { task: 'directory.mirror.import', subject: name })
  try {
    const result = await importSnapshot({ store, audited, clock }, { source: name, syncCursor, text: textOf(file) })
    return { source: name, ...result }
  } catch (error) {
    if (error instanceof AdcpError || !isFileError(error)) throw error
    throw new AdcpError('INVALID_REQUEST', `${file} cannot be read: ${error.code}`, { field: 'file', cause: error })
  }
}

/** Forgets what another directory said. Throws REFERENCE_NOT_FOUND for one that was not imported. */
export async function removeMirror(context: OperatorContext, source: string): Promise<string> {
  const name = requireSource(source)
  const store = auditedStore(context, { task: 'directory.mirror.remove', subject: name })
  await store.transaction(async (tx) => {
    if (await deleteMirror(tx, name)) return
    throw new AdcpError('REFERENCE_NOT_FOUND', `no snapshot of ${name} was imported`, { field: 'source' })
  })
  await dropOldRows(store)
  return name
}

/** The directories whose snapshots were imported. */
export function listDirectoryMirrors({ store }: OperatorContext): Promise<readonly DirectoryMirrorRow[]> {
  return listMirrors(store.read)
}

async function* textOf(file: string): AsyncGenerator<string> {
  const stream = createReadStream(file)
  const bytes = file.endsWith('.gz') ? stream.pipe(createGunzip()) : stream
  // `pipe` does not hand errors on.
  if (bytes !== stream) stream.once('error', (error) => bytes.destroy(error))
  const decoder = new TextDecoder()
  for await (const chunk of bytes) yield decoder.decode(chunk, { stream: true })
  yield decoder.decode()
}

function requireSource(source: string): string {
  const url = URL.canParse(source) ? new URL(source) : undefined
  if (url?.protocol === 'https:' && url.username === '' && source.length <= 500) return url.origin
  throw new AdcpError('INVALID_REQUEST', 'the source must be the https address of a directory, e.g. https://directory.example', {
    field: 'source',
  })
}

function isFileError(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
}
