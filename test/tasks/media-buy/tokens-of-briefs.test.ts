import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { summarizeProducts } from '../../../src/tasks/media-buy/summaries.ts'
import { LINES, type ReleaseAgent, startReleaseAgent } from '../../support/release-agent.ts'

let agent: ReleaseAgent
beforeAll(async () => {
  agent = await startReleaseAgent({ conformance: false })
}, 120_000)
afterAll(() => agent?.stop())

const BRIEFS = [
  'Outdoor video',
  'EUR 20,000, sports fans in Sweden and Norway, video and display, two weeks before Christmas, three a day, weekly report',
  'USD 40,000 for sports fans in the US: CTV, video and display, women 25-54, Easter',
]

test.each(LINES.flatMap((line) => BRIEFS.map((brief) => [line, brief] as const)))(
  'under AdCP %s a brief costs 5,000 tokens at most and a refinement of its plan 6,000: "%s"',
  async (line, brief) => {
    const costOf = (data: Parameters<typeof summarizeProducts>[0]) =>
      encode(JSON.stringify(data)).length + encode(summarizeProducts(data)).length
    const { data } = await agent.ask(line, 'get_products', { buying_mode: 'brief', brief })
    expect(data.products).toHaveLength(5)
    expect(costOf(data)).toBeLessThanOrEqual(5_000)
    const proposal_id = data.proposals?.at(-1)?.proposal_id
    if (proposal_id === undefined) return
    const entry = { scope: 'proposal', proposal_id, action: 'include', ask: 'less CTV, more display, 10 % lower' }
    const refined = await agent.ask(line, 'get_products', { buying_mode: 'refine', refine: [entry] })
    expect(costOf(refined.data)).toBeLessThanOrEqual(6_000)
  },
)
