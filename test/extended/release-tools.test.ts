import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { releaseTools, releaseToolsTable } from '../../tools/release-tools.ts'
import { startReleaseAgent } from '../support/release-agent.ts'
import { wheelVectorSets } from '../support/wheel.ts'

const tools = releaseTools()

/** Sets of vectors that no test here plays, each with the reason. */
const NOT_PLAYED: Readonly<Record<string, string>> = {
  attestations: 'are for those who evaluate attestations: adcp.attestations is not declared',
  'governance-runtime-attestations': 'no attestation is evaluated',
  'audience-evidence': 'products carry no evidence of the people that they reach, and no selection by it is carried out',
  'macro-processing': 'no macros of other systems are declared or processed: macro_processing is not declared',
  'universal-macro-translation': 'is for programs that make pixels for other ad servers out of universal macros',
  'tracker-execution-contracts': 'no execution of trackers is promised: tracker_execution is not declared',
  'creative-representation-resolution': 'creatives have one representation: supports_revisions is not declared',
  'relationship-scoped-indicators': 'no indicators are evaluated: supported_indicator_types is not declared',
  'products-only-brief-compatibility': 'its vectors are about what a client makes of the answers of an earlier release',
  'webhook-receiver-envelope': 'is for receivers of webhooks',
}
/** Sets of vectors by the file of test/extended/wheel-vectors that plays them. */
const PLAYED: Readonly<Record<string, string>> = {
  'brand-response-signing': 'brand-response-signing',
  'catalog-macro-substitution': 'catalog-macros',
  'error-recovery': 'error-recovery',
  'governance-authorization': 'governance-authorization',
  'oauth-setup': 'oauth-setup',
  'plan-hash': 'plan-hash',
  'reporting-reconciliation': 'reporting-reconciliation',
  'reporting-summary': 'reporting-summary',
  'request-signing': 'request-signing',
  'rights-attestations': 'rights-attestations',
  'supply-path': 'supply-path',
  'trusted-match-context-merge': 'trusted-match-context-merge',
  'webhook-signing': 'webhook-signing',
}

describe.skipIf(!tools)('the tools of AdCP 3.2.4', () => {
  it('are served or left out for a reason, which the documentation says', async () => {
    const all = tools ?? []
    expect(all).toHaveLength(78)
    expect(all.filter(([, reason]) => reason === '?')).toEqual([])
    expect(readFileSync('docs/conformance.md', 'utf8')).toContain(releaseToolsTable(all))
  })

  it('that are served answer by their name, and those that are not are unknown or name the release that has them', async () => {
    const agent = await startReleaseAgent()
    try {
      for (const [name, reason] of tools ?? []) {
        const { data } = await agent.ask('3.2', name, {})
        const text = JSON.stringify(data)
        const isUnknown = /unknown|no tool|no task|not served|does not have|is not in AdCP/i.test(
          String(data.adcp_error?.message),
        )
        if (reason === undefined) expect(isUnknown, `${name}: ${text.slice(0, 300)}`).toBe(false)
        else expect(data.adcp_error, `${name}: ${text.slice(0, 300)}`).toBeDefined()
      }
    } finally {
      await agent.stop()
    }
  }, 120_000)

  it('come with vectors, each set played by a test or left out for a reason', async () => {
    const sets = await wheelVectorSets()
    expect([...Object.keys(NOT_PLAYED), ...Object.keys(PLAYED)].sort()).toEqual(sets)
    for (const file of Object.values(PLAYED)) readFileSync(`test/extended/wheel-vectors/${file}.test.ts`)
  })
})
