import { createInterface } from 'node:readline/promises'
import { AdcpError } from '../protocol/errors.ts'

/** Asks a person a yes-or-no question on the error output. Throws INVALID_REQUEST without a terminal, and when the answer is not yes. */
export async function confirm(question: string): Promise<void> {
  const refusal = (message: string) => new AdcpError('INVALID_REQUEST', message, { field: 'yes' })
  if (!process.stdin.isTTY) throw refusal(`${question} There is no terminal to answer on: pass --yes to confirm`)
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const answer = await lines.question(`${question} [y/N] `)
    if (!/^y(es)?$/i.test(answer.trim())) throw refusal('not confirmed; nothing was changed')
  } finally {
    lines.close()
  }
}
