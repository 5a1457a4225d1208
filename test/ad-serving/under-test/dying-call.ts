import type { OutboundCall } from '../../../src/platform/net/outbound-call.ts'

/** The way out of a process that is killed as soon as its call of this number has reached the server: its answer is lost, and no other call follows. */
export function dyingCall(call: OutboundCall, calls: number): OutboundCall {
  let left = calls
  return async (url, request) => {
    left -= 1
    if (left < 0) throw new Error('the process is dead')
    const answer = await call(url, request)
    if (left === 0) throw new Error('the process died')
    return answer
  }
}
