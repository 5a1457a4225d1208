import { createReadStream } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { Readable, Transform } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { unzipSync } from 'fflate'
import { unpackTar } from 'modern-tar'
import { ArchiveFault } from './archive-fault.ts'

/** Contents of the wanted files of an archive, by their path inside it. */
export type ArchiveFiles = ReadonlyMap<string, Uint8Array>

/** The largest official schema has 90 kB and the largest set of vectors 400 kB. */
const MAX_FILE_BYTES = 8 * 1024 * 1024
/** The schemas of two releases take 20 MB, with prose. */
const MAX_WANTED_BYTES = 128 * 1024 * 1024
/** The bundle of 3.2.4 has 23 MB compressed and 140 MB unpacked. */
const MAX_UNPACKED_BYTES = 1024 * 1024 * 1024

/**
 * Reads files out of a zip archive (a Python wheel, PEP 427) or a gzip-compressed tar archive (an official protocol bundle), distinguished by their
 * first bytes. Only entries whose path `wants` accepts are stored. Throws {@link ArchiveFault} for a file of another kind, a damaged one, and one that
 * holds more than the limits allow.
 */
export async function readArchive(file: string, wants: (path: string) => boolean): Promise<ArchiveFiles> {
  const kind = await kindOf(file)
  const accepts = bounded(file, wants)
  try {
    return kind === 'zip' ? await readZip(file, accepts) : await readTarGz(file, accepts)
  } catch (error) {
    if (error instanceof ArchiveFault || isOfTheSystem(error)) throw error
    throw new ArchiveFault(`${file} cannot be unpacked as a ${kind} archive: is it complete?`, { cause: error })
  }
}

async function kindOf(file: string): Promise<'zip' | 'tar.gz'> {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0)
    const start = buffer.subarray(0, bytesRead).toString('latin1')
    if (start === 'PK\x03\x04') return 'zip'
    if (start.startsWith('\x1f\x8b')) return 'tar.gz'
  } finally {
    await handle.close()
  }
  throw new ArchiveFault(`${file} is neither a Python wheel (.whl) nor an official protocol bundle (.tgz)`)
}

/** Whether a file is wanted; throws once the wanted ones are too large. Sizes are those that the archive declares and its reader holds to. */
function bounded(file: string, wants: (path: string) => boolean): (path: string, bytes: number) => boolean {
  let total = 0
  return (path, bytes) => {
    if (!wants(path)) return false
    total += bytes
    if (bytes > MAX_FILE_BYTES)
      throw new ArchiveFault(`${path} in ${file} has ${bytes} bytes; at most ${MAX_FILE_BYTES} are read`)
    if (total > MAX_WANTED_BYTES) throw new ArchiveFault(`${file} holds more than ${MAX_WANTED_BYTES} bytes of schemas`)
    return true
  }
}

async function readZip(file: string, accepts: (path: string, bytes: number) => boolean): Promise<ArchiveFiles> {
  const unzipped = unzipSync(await readFile(file), { filter: ({ name, originalSize }) => accepts(name, originalSize) })
  return new Map(Object.entries(unzipped))
}

async function readTarGz(file: string, accepts: (path: string, bytes: number) => boolean): Promise<ArchiveFiles> {
  const unpacked = createReadStream(file).pipe(createGunzip())
  const counted = unpacked.pipe(limited(file))
  unpacked.on('error', (error) => counted.destroy(error))
  const entries = await unpackTar(Readable.toWeb(counted), {
    strict: true,
    filter: ({ name, size, type }) => type === 'file' && accepts(name, size),
  })
  return new Map(entries.map(({ header, data }) => [header.name, data ?? new Uint8Array()]))
}

function limited(file: string): Transform {
  let total = 0
  return new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      total += chunk.length
      if (total > MAX_UNPACKED_BYTES) done(new ArchiveFault(`${file} unpacks to more than ${MAX_UNPACKED_BYTES} bytes`))
      else done(null, chunk)
    },
  })
}

function isOfTheSystem(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error
}
