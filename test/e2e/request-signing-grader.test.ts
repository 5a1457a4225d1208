import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { startAgent, type TestAgent } from '../support/start-agent.ts'

const CLI = join(dirname(createRequire(import.meta.url).resolve('@adcp/sdk/package.json')), 'bin/adcp.js')

interface Graded {
  readonly vector_id: string
  readonly kind: 'positive' | 'negative'
  readonly passed: boolean
  readonly skipped?: boolean
  readonly skip_reason?: string
  readonly diagnostic?: string
}

interface Report {
  readonly passed: boolean
  readonly passed_count: number
  readonly failed_count: number
  readonly skipped_count: number
  readonly positive: readonly Graded[]
  readonly negative: readonly Graded[]
}

let agent: TestAgent
afterEach(() => agent.stop())

/** Runs the official black-box grader, in a process of its own, against the running server. */
function grade(url: string, ...options: string[]): Promise<Report> {
  const args = [CLI, 'grade', 'request-signing', url, '--allow-http', '--json', '--covers-content-digest', 'either', ...options]
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { env: { ...process.env, ADCP_SKIP_VERSION_CHECK: '1' } }, (_error, stdout, stderr) => {
      try {
        resolve(JSON.parse(stdout))
      } catch {
        reject(new Error(`the grader said: ${stdout}${stderr}`))
      }
    })
  })
}

/** Vectors of another digest policy than ours, and one that HTTP cannot carry. */
const ALL_ENDPOINTS = {
  'negative 007': 'capability_profile_mismatch',
  'negative 010': 'capability_profile_mismatch',
  'negative 018': 'capability_profile_mismatch',
  'negative 023': 'capability_profile_mismatch',
  'negative 026': 'transport_ungradable',
}

/** Vectors about URLs, which have no meaning where every call goes to one address. */
const ONE_ENDPOINT = Object.fromEntries(
  ['005', '006', '007', '008'].map((id) => [`positive ${id}`, 'mcp_mode_flattens_url_edges']),
)

const GRADED = {
  sandbox: true,
  // Some of the official vectors cover no digest and have to be accepted.
  flags: { 'signing.grading': true, 'signing.contentDigest': 'either', 'signing.requiredFor': ['create_media_buy'] },
}

function skippedIn({ positive, negative }: Report): Record<string, string | undefined> {
  const skipped = [...positive, ...negative].filter((graded) => graded.skipped)
  return Object.fromEntries(skipped.map(({ kind, vector_id, skip_reason }) => [`${kind} ${vector_id.slice(0, 3)}`, skip_reason]))
}

function failuresIn({ positive, negative }: Report): string[] {
  return [...positive, ...negative]
    .filter(({ passed, skipped }) => !passed && !skipped)
    .map(({ kind, vector_id, diagnostic }) => `${kind} ${vector_id}: ${diagnostic}`)
}

describe('adcp grade request-signing', () => {
  it('passes over MCP', async () => {
    agent = await startAgent(GRADED)
    const report = await grade(agent.url, '--transport', 'mcp')
    expect(failuresIn(report)).toEqual([])
    expect(report).toMatchObject({ passed: true, passed_count: 30, failed_count: 0 })
    expect(skippedIn(report)).toEqual({ ...ALL_ENDPOINTS, ...ONE_ENDPOINT })
  })

  it('passes on raw operations, URLs in every spelling', async () => {
    agent = await startAgent(GRADED)
    const report = await grade(agent.url, '--transport', 'raw')
    expect(failuresIn(report)).toEqual([])
    expect(report).toMatchObject({ passed: true, passed_count: 34, failed_count: 0 })
    expect(skippedIn(report)).toEqual(ALL_ENDPOINTS)
  })
})
