import { ownValue } from '../../domain/own-value.ts'
import { isObject } from '../../protocol/is-object.ts'

/** Price models that people sell and this ad server cannot keep, with the reason and what to send. */
const UNSOLD: Readonly<Record<string, string>> = {
  cpp: 'a rating point (cpp) is counted by a measured audience plan, and the ad server of this program counts none: send the impressions of the plan at cpm, or flat_rate',
  share_of_voice:
    'a share of voice cannot be kept: the ad server of this program holds impressions for a line, not a per cent of the requests of a place: send flat_rate with priority guaranteed and the impressions that the share comes to',
}
const OTHER_NAMES: Readonly<Record<string, string>> = { sov: 'share_of_voice', grp: 'cpp' }

/** Problems of a direct order; one of a price model that cannot be kept says why. */
export function withReasons<P extends { readonly pointer: string; readonly message: string }>(
  value: unknown,
  problems: readonly P[],
): readonly P[] {
  return problems.map((problem) => {
    const [, lines, index = '', member] = problem.pointer.split('/')
    if (lines !== 'lines' || member !== 'price_model') return problem
    const model = modelOf(value, Number(index))
    const why = model === undefined ? undefined : ownValue(UNSOLD, ownValue(OTHER_NAMES, model) ?? model)
    return why === undefined ? problem : { ...problem, message: why }
  })
}

function modelOf(value: unknown, index: number): string | undefined {
  const lines = isObject(value) ? value.lines : undefined
  const line: unknown = Array.isArray(lines) ? lines[index] : undefined
  return isObject(line) && typeof line.price_model === 'string' ? line.price_model : undefined
}
