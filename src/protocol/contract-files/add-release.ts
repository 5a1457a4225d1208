import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { ArchiveFault } from '../../platform/decode/archive-fault.ts'
import { withCheckedMembers } from '../checked-members.ts'
import { newAjv } from '../new-ajv.ts'
import { addedFolder, type PresentRelease } from '../present-sources.ts'
import { readReleases } from './archive-release.ts'
import { comparePatches } from './compare-patches.ts'
import { contractChanges } from './contract-changes.ts'
import { type ContractDocuments, contractDocuments } from './contract-documents.ts'
import { sha256Of } from './file-hash.ts'
import { readContractFolder } from './read-contract-folder.ts'
import { writeContract } from './write-contract.ts'

/** What a patch release is added to. */
export interface AddReleaseOptions {
  readonly dataFolder: string
  /** What the file has to have, in hexadecimal. */
  readonly sha256: string
  readonly present: readonly PresentRelease[]
  /** Names of the tasks that the server has. */
  readonly tasks: readonly string[]
}

/** The schemas of 3.0 are those of the npm package: the words in them are what `tools/list` shows. */
const FIXED_LINE = '3.0'

/** As many as fit on a screen. */
const SHOWN_CHANGES = 10
/** Characters; Ajv lists every fault of a schema in one line. */
const SHOWN_REASON = 300

/**
 * Adds the later patches that an archive holds of lines which are there to a data folder: schemas only. Gives the patches. Throws {@link ArchiveFault}
 * when the file is not the expected one, holds nothing later, does not compile, or changed a served task in a way that this server does not know.
 */
export async function addReleases(file: string, options: AddReleaseOptions): Promise<readonly string[]> {
  const { dataFolder, present, tasks } = options
  const sha256 = await sha256Of(file)
  if (sha256 !== options.sha256.toLowerCase()) throw new ArchiveFault(`${file} has the SHA-256 ${sha256}, not ${options.sha256}`)
  const lines = present.map(({ source }) => source.line).filter((line) => line !== FIXED_LINE)
  const found = await readReleases(file, lines)
  const later = found.flatMap((release) => {
    const there = present.find(({ source }) => source.line === release.line)
    return there && comparePatches(release.patch, there.patch) > 0 ? [{ there, contract: contractDocuments(release) }] : []
  })
  if (later.length === 0) throw new ArchiveFault(nothingLater(file, found, options))
  for (const { there, contract } of later) check(there, contract, tasks)
  for (const { contract } of later) write(dataFolder, contract, { patch: contract.patch, file: basename(file), sha256 })
  return later.map(({ contract }) => contract.patch)
}

function nothingLater(file: string, found: readonly { patch: string }[], { present }: AddReleaseOptions): string {
  const there = present.map(({ patch }) => patch).join(', ')
  const holds = found.length === 0 ? 'no release of a line that can be added to' : found.map(({ patch }) => patch).join(', ')
  return `${file} holds ${holds}; there are ${there}. Later patches of 3.1 and 3.2 can be added; ${FIXED_LINE} comes with the agent`
}

function check({ source, patch }: PresentRelease, contract: ContractDocuments, tasks: readonly string[]): void {
  compile(contract)
  const changes = contractChanges({ line: source.line, ...readContractFolder(source.folder) }, contract, tasks)
  if (changes.length === 0) return
  const shown = changes.slice(0, SHOWN_CHANGES).map(({ place, change }) => `\n  ${place}: ${change}`)
  const more = changes.length > SHOWN_CHANGES ? `\n  and ${changes.length - SHOWN_CHANGES} more` : ''
  throw new ArchiveFault(
    `AdCP ${contract.patch} changed tasks that this server serves since ${patch}; it needs a later version of the agent:${shown.join('')}${more}`,
  )
}

/** Compiling everything is the only proof that a file is a schema. */
function compile({ patch, documents, roots }: ContractDocuments): void {
  const ajv = newAjv()
  const tryWith = (path: string, use: () => unknown) => {
    try {
      use()
    } catch (error) {
      const reason = error instanceof Error ? error.message.slice(0, SHOWN_REASON) : 'no reason given'
      throw new ArchiveFault(`the schemas of AdCP ${patch} do not compile: ${path}: ${reason}`, { cause: error })
    }
  }
  for (const [path, document] of documents) tryWith(path, () => ajv.addSchema(withCheckedMembers(document)))
  for (const path of roots) tryWith(path, () => ajv.getSchema(String(documents.get(path)?.$id)))
}

function write(dataFolder: string, contract: ContractDocuments, origin: Parameters<typeof writeContract>[2]): void {
  const folder = addedFolder(dataFolder, contract.patch)
  mkdirSync(dirname(folder), { recursive: true })
  const unfinished = mkdtempSync(join(dirname(folder), 'unfinished-'))
  try {
    writeContract(unfinished, contract, origin)
    renameSync(unfinished, folder)
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
}
