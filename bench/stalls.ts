import { parseArgs } from 'node:util'
import { startMeasuredAgent } from './stalls/agent.ts'
import { hostileInputs, prepareBuyer } from './stalls/hostile.ts'
import { measureStall } from './stalls/stall.ts'

const { values: options } = parseArgs({ options: { rounds: { type: 'string', default: '3' }, only: { type: 'string' } } })
const agent = await startMeasuredAgent()
try {
  const buyer = await prepareBuyer(agent)
  for (const { title, ask } of hostileInputs(agent, buyer)) {
    if (options.only && !title.includes(options.only)) continue
    const { stallMs, requestMs, reply } = await measureStall(agent.port, ask, Number(options.rounds))
    console.log(
      stallMs.toFixed(0).padStart(7),
      requestMs.toFixed(0).padStart(7),
      title,
      reply.status,
      reply.body.slice(0, 0),
      /"message":"([^"]{0,90})/.exec(reply.body)?.[1] ?? reply.body.slice(0, 60),
    )
  }
} finally {
  await agent.stop()
}
