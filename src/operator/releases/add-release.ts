import { existsSync } from 'node:fs'
import { ArchiveFault } from '../../platform/decode/archive-fault.ts'
import { addReleases } from '../../protocol/contract-files/add-release.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { presentReleases } from '../../protocol/present-sources.ts'
import { TASKS } from '../../tasks/index.ts'

export interface ReleaseFile {
  /** Path of an official protocol bundle (.tgz) or of the wheel of the Python client (.whl). */
  readonly file: string
  /** Hexadecimal hash that the file has to have. */
  readonly sha256: string
  /** Data folder of the deployment. */
  readonly data: string
}

/** Adds later patches of releases to a data folder; a server speaks them from its next start on. Gives the patches. Throws INVALID_REQUEST. */
export async function addRelease({ file, sha256, data }: ReleaseFile): Promise<readonly string[]> {
  if (!existsSync(file)) throw new AdcpError('INVALID_REQUEST', `there is no file ${file}`, { field: 'file' })
  if (!existsSync(data)) throw new AdcpError('INVALID_REQUEST', `there is no data folder ${data}`, { field: 'data' })
  try {
    const tasks = TASKS.map(({ name }) => name)
    return await addReleases(file, { dataFolder: data, sha256, present: presentReleases(data), tasks })
  } catch (error) {
    if (!(error instanceof ArchiveFault)) throw error
    throw new AdcpError('INVALID_REQUEST', error.message, { field: 'file', cause: error })
  }
}
