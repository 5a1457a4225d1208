import { Agent, request } from 'node:http'

export interface Paced {
  /** Milliseconds from the moment that a request was due to the end of its answer, in ascending order. */
  readonly times: readonly number[]
  /** Answers that say what is not so. */
  readonly wrong: number
  /** Answers that lack a provider. */
  readonly incomplete: number
}

export interface PacedLoad {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** The body of each request; they differ by its index. */
  readonly bodyOf: (index: number) => string
  readonly judge: (answer: string) => 'right' | 'wrong' | 'incomplete'
  readonly perSecond: number
  readonly seconds: number
}

const MOST_MS = 10_000

/** Sends requests at their due times, whether or not those before were answered. Throws when one gets no answer within ten seconds. */
export async function pacedLoad({ url, headers, bodyOf, judge, perSecond, seconds }: PacedLoad): Promise<Paced> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const times: number[] = []
  const tally = { right: 0, wrong: 0, incomplete: 0 }
  const began = performance.now()
  const running: Promise<void>[] = []
  for (let index = 0; index < perSecond * seconds; index += 1) {
    const due = began + (index * 1000) / perSecond
    const wait = due - performance.now()
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
    running.push(
      post(url, agent, headers, bodyOf(index)).then((answer) => {
        times.push(performance.now() - due)
        tally[judge(answer)] += 1
      }),
    )
  }
  await Promise.all(running)
  agent.destroy()
  return { times: times.sort((a, b) => a - b), wrong: tally.wrong, incomplete: tally.incomplete }
}

function post(url: string, agent: Agent, headers: Readonly<Record<string, string>>, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const asking = request(url, { method: 'POST', agent, headers, signal: AbortSignal.timeout(MOST_MS) }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('end', () => resolve(Buffer.concat(chunks).toString()))
      answer.on('error', reject)
    })
    asking.on('error', reject)
    asking.end(body)
  })
}
