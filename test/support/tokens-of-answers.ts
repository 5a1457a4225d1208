import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { expect } from 'vitest'
import { summarizeProducts } from '../../src/tasks/media-buy/summaries.ts'
import type { LINES, ReleaseAgent } from './release-agent.ts'

/** Briefs whose answers are measured. */
export const BRIEFS = [
  'Outdoor video',
  'EUR 20,000, sports fans in Sweden and Norway, video and display, two weeks before Christmas, three a day, weekly report',
  'USD 40,000 for sports fans in the US: CTV, video and display, women 25-54, Easter',
]

/** Tokens of an answer with its text. */
export function tokensOf(data: Parameters<typeof summarizeProducts>[0]): number {
  return encode(JSON.stringify(data)).length + encode(summarizeProducts(data)).length
}

/** The answer to a brief costs 5,000 tokens at most, and a refinement of its last plan 6,000. */
export async function expectShortAnswers(agent: ReleaseAgent, line: (typeof LINES)[number], brief: string): Promise<void> {
  const { data } = await agent.ask(line, 'get_products', { buying_mode: 'brief', brief })
  expect(data.products).toHaveLength(5)
  expect(tokensOf(data)).toBeLessThanOrEqual(5_000)
  const proposal_id = data.proposals?.at(-1)?.proposal_id
  if (proposal_id === undefined) return
  const entry = { scope: 'proposal', proposal_id, action: 'include', ask: 'less CTV, more display, 10 % lower' }
  const refined = await agent.ask(line, 'get_products', { buying_mode: 'refine', refine: [entry] })
  expect(tokensOf(refined.data)).toBeLessThanOrEqual(6_000)
}
