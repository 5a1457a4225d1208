import { expect, it } from 'vitest'
import { parseTraceparent, writeTraceparent } from '../../../src/platform/tracing/traceparent.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const SPAN = 'b7ad6b7169203331'

it.each([
  [`00-${TRACE}-${SPAN}-01`, 1],
  [`00-${TRACE}-${SPAN}-00`, 0],
  [` 00-${TRACE}-${SPAN}-ff `, 255],
  [`cc-${TRACE}-${SPAN}-01`, 1],
  [`cc-${TRACE}-${SPAN}-01-what-the-future-brings`, 1],
])('%s names a parent', (text, traceFlags) => {
  expect(parseTraceparent(text)).toEqual({ traceId: TRACE, spanId: SPAN, traceFlags })
})

it.each([
  '',
  `ff-${TRACE}-${SPAN}-01`,
  `00-${TRACE}-${SPAN}-01-more`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `00-${TRACE}-${SPAN}-1`,
  `00-${TRACE}-${SPAN}-01.`,
  `00-${TRACE}-${SPAN}`,
  `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`,
])('%s is ignored', (text) => {
  expect(parseTraceparent(text)).toBeUndefined()
})

it('is written as it is read', () => {
  const parent = { traceId: TRACE, spanId: SPAN, traceFlags: 1 }
  expect(parseTraceparent(writeTraceparent(parent))).toEqual(parent)
})
