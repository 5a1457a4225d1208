import type { ComplianceResult, ComplyOptions } from '@adcp/sdk/testing'
import type { CheckResult } from '../features/seller-checks/check.ts'
import type { StoriesPlayed } from '../operator/seller-checks/check-seller.ts'

export interface StoriesOptions {
  readonly key: string | undefined
  /** A folder of stories of another release, as `dist/compliance/<version>` of the protocol; undefined plays those of the package. */
  readonly folder: string | undefined
  readonly seconds: number
}

/** The runner, which is large and installed by whoever wants it; undefined where it is not. */
async function runner(): Promise<{ comply: Comply; version: string } | undefined> {
  try {
    const [{ comply }, { LIBRARY_VERSION: version }] = await Promise.all([import('@adcp/sdk/testing'), import('@adcp/sdk')])
    return { comply, version }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') return undefined
    throw error
  }
}
type Comply = (url: string, options: ComplyOptions) => Promise<ComplianceResult>

/** Plays the storyboards that the seller's capabilities choose, one result for each track; undefined where the runner is not installed. */
export async function playOfficialStories(url: string, options: StoriesOptions): Promise<StoriesPlayed | undefined> {
  // The runner reads the folder of its stories from the environment, when it is loaded.
  if (options.folder !== undefined) process.env.ADCP_COMPLIANCE_DIR = options.folder
  const found = await runner()
  if (!found) return undefined
  const { key } = options
  const result = await found.comply(url, {
    protocol: 'mcp',
    allow_http: url.startsWith('http:'),
    sandbox: true,
    timeout_ms: options.seconds * 1000,
    webhook_receiver: { mode: 'loopback_mock' },
    ...(key !== undefined && {
      auth: { type: 'bearer', token: key },
      test_kit: { auth: { api_key: key, probe_task: 'list_creatives' } },
    }),
  })
  const { steps_passed: passed = 0, steps_failed: failed = 0, steps_skipped: skipped = 0 } = result.summary
  return {
    source: options.folder ?? `@adcp/sdk ${found.version}`,
    steps: { passed, failed, skipped },
    checks: [...result.tested_tracks, ...result.skipped_tracks].map((track) => checkOf(result, track)),
  }
}

type Track = Pick<ComplianceResult['tracks'][number], 'track' | 'label'> & { status?: string; reason?: string }

/** Stories begin with accounts, products and plans that the test controller makes: without one a failed step may be theirs. */
const NO_CONTROLLER = 'the seller has no comply_test_controller, which makes what these stories begin with'

function checkOf(result: ComplianceResult, { track, label, status, reason }: Track): CheckResult {
  const failed = (result.failures ?? []).filter((failure) => failure.track === track)
  const base = { id: `stories-${track}`, group: 'stories', title: `official storyboards: ${label}`, steps: [] } as const
  if (failed.length > 0) {
    const words = failed.map((each) => `${each.storyboard_id}, ${each.step_id}: ${wordsOf(each)}`).join('; ')
    if (result.controller_detected === true) return { ...base, outcome: 'broken', because: words }
    return { ...base, outcome: 'not verified', because: `${NO_CONTROLLER}; failed: ${words}` }
  }
  if (status === 'pass') return { ...base, outcome: 'held' }
  return { ...base, outcome: 'not verified', because: reason ?? `the runner calls it ${status ?? 'skipped'}` }
}

const LONGEST = 300

function wordsOf({ error, validation, expected }: NonNullable<ComplianceResult['failures']>[number]): string {
  return (error ?? validation?.description ?? expected ?? 'no reason given').slice(0, LONGEST)
}
