import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Storyboard } from '@adcp/sdk/testing'
import { parse } from 'yaml'

/** Data of a fictional advertiser that a storyboard plays with, as the suite ships it, with the key that the server knows. */
export interface TestKit {
  readonly [key: string]: unknown
  readonly auth: { readonly api_key: string; readonly probe_task: string }
}

/** The kit of storyboards that name none. */
const DEFAULT_KIT = 'test-kits/acme-outdoor.yaml'
/** The suite's own default for the security probes: authenticated, read-only, valid with an empty request. */
const DEFAULT_PROBE_TASK = 'list_creatives'

/**
 * The kit that a storyboard names, unedited but for `auth.api_key`: a kit carries a published demonstration key, and a server
 * that issues its own keys is given the one it issued.
 * @param suiteFolder folder of the suite (`getComplianceCacheDir()`)
 */
export async function testKitOf(storyboard: Storyboard, suiteFolder: string, key: string): Promise<TestKit> {
  const name = storyboard.prerequisites?.test_kit ?? DEFAULT_KIT
  const kit: unknown = parse(await readFile(join(suiteFolder, name), 'utf8'))
  if (!isRecord(kit)) throw new Error(`${name} is no test kit`)
  const auth = isRecord(kit.auth) ? kit.auth : {}
  const probeTask = typeof auth.probe_task === 'string' ? auth.probe_task : DEFAULT_PROBE_TASK
  return { ...kit, auth: { ...auth, api_key: key, probe_task: probeTask } }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
