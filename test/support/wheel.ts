import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { readArchive } from '../../src/platform/decode/contract-archive.ts'
import { PINNED_WHEEL } from '../../tools/contracts/pinned-wheel.ts'

/** Holds the pinned wheel once a build has downloaded it. */
export const wheelFolder = fileURLToPath(new URL(`../../.cache/contracts/${PINNED_WHEEL.sha256}/archive/`, import.meta.url))

/** Why the wheel's vectors cannot be run; undefined when it is there. */
export const wheelIsMissing: string | undefined = existsSync(wheelFolder)
  ? undefined
  : 'the wheel adcp 9.2.0 is not below .cache/contracts: run "npm run build" with pip and the network'

/** One file of the test vectors of 3.2.4 that lies in no folder. Undefined where the wheel is missing. */
export async function wheelFile(name: string): Promise<unknown> {
  return (await filesBelow('', (path) => path === name)).get(name)
}

/** Names of the sets of test vectors of 3.2.4: folders, and files beside them. Empty where the wheel is missing. */
export async function wheelVectorSets(): Promise<readonly string[]> {
  const files = await filesBelow('', (path) => !path.includes('.schema.'))
  return [...new Set([...files.keys()].map((path) => path.replace(/[/.].*$/, '')))].sort()
}

/** JSON files of the test vectors of 3.2.4 below a folder, by their path in it. Empty where the wheel is missing. */
export async function wheelVectors(below: string): Promise<ReadonlyMap<string, unknown>> {
  return filesBelow(`${below}/`, () => true)
}

/** A story of the suite of 3.2.4, such as `reporting-core`, as YAML. Undefined where the wheel is missing. */
export async function wheelStory(name: string): Promise<string | undefined> {
  if (wheelIsMissing !== undefined) return undefined
  const [file = ''] = readdirSync(wheelFolder)
  const path = `adcp/_compliance/3.2.4/universal/${name}.yaml`
  const bytes = (await readArchive(wheelFolder + file, (each) => each === path)).get(path)
  return bytes && new TextDecoder().decode(bytes)
}

async function filesBelow(folder: string, isWanted: (path: string) => boolean): Promise<ReadonlyMap<string, unknown>> {
  const root = `adcp/_compliance/3.2.4/test-vectors/${folder}`
  if (wheelIsMissing !== undefined) return new Map()
  const [file = ''] = readdirSync(wheelFolder)
  const takes = (path: string) => path.startsWith(root) && path.endsWith('.json') && isWanted(path.slice(root.length))
  const files = await readArchive(wheelFolder + file, takes)
  const read = ([path, bytes]: [string, Uint8Array]): [string, unknown] => [
    path.slice(root.length),
    JSON.parse(new TextDecoder().decode(bytes)),
  ]
  return new Map([...files].map(read).sort(([a], [b]) => (a < b ? -1 : 1)))
}
