import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { followAdvice } from '../support/follow-advice.ts'
import { errorOf, startWrongCallAgent, type WrongCallAgent } from '../support/wrong-call-agent.ts'
import { WRONG_CALLS } from '../support/wrong-calls.ts'
import { WRONG_VALUES } from '../support/wrong-values.ts'

let agent: WrongCallAgent
beforeAll(async () => {
  agent = await startWrongCallAgent()
})
afterAll(() => agent?.stop())

const CALLS = [...WRONG_CALLS, ...WRONG_VALUES].filter(([, args, , , message]) => followAdvice(args, message) !== undefined)

describe('advice that is followed by program', () => {
  it('is there for many wrong calls', () => {
    expect(CALLS.length).toBeGreaterThanOrEqual(60)
  })

  it.each(CALLS)('is taken: %s with %j', async (task, args) => {
    if (JSON.stringify(args).includes('<buy>')) await agent.renew()
    const sent = agent.filled(args)
    const { message } = errorOf(await agent.ask(task, sent))
    const followed = followAdvice(sent, message)
    const error = errorOf(await agent.ask(task, followed?.args ?? {}))
    // Another fault may be left, which no advice was about: it is none of the members that were sent anew, or, as the first error said, there is nothing of the name that has moved.
    const first = message.replaceAll(' is refused: ', ' ')
    const isOfName = (fault: string) => !FORM.test(fault) && first.includes(fault.replace(' is refused: ', ' '))
    const left = faultsOf(error?.message ?? '').filter((fault) => !isOfName(fault))
    const isAbout = (path: string) =>
      left.some((fault) => fault.startsWith(`${path} `) || (error?.field === path && fault === error.message))
    const about = (followed?.paths ?? []).filter(isAbout)
    expect({ about, error: about.length > 0 ? error : undefined, args: followed?.args }).toMatchObject({ about: [] })
  })
})

/** What faults of the form of a request say. */
const FORM = / must | is required| is not known here/

/** The sentences of an error's message, each about a fault. */
function faultsOf(message: string): string[] {
  return message.replace(/^\d+ faults: \(1\) /, '').split(/; \(\d+\) /)
}
