import { afterAll, beforeAll, test } from 'vitest'
import { LINES, type ReleaseAgent, startReleaseAgent } from '../../support/release-agent.ts'
import { BRIEFS, expectShortAnswers } from '../../support/tokens-of-answers.ts'

let agent: ReleaseAgent
beforeAll(async () => {
  agent = await startReleaseAgent({ conformance: false })
}, 120_000)
afterAll(() => agent?.stop())

test.each(LINES.flatMap((line) => BRIEFS.map((brief) => [line, brief] as const)))(
  'under AdCP %s a brief costs 5,000 tokens at most and a refinement of its plan 6,000: "%s"',
  (line, brief) => expectShortAnswers(agent, line, brief),
)
