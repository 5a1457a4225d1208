import { describe, expect, test } from 'vitest'
import type { Outcome } from '../../../src/pipeline/call.ts'
import { loadContracts } from '../../../src/protocol/contracts.ts'
import { AdcpError } from '../../../src/protocol/errors.ts'
import { structuredContent, toolResult, toolResultJson } from '../../../src/transports/mcp/envelope.ts'

const { recoveryOf } = loadContracts().base
const LATEST = '2025-11-25'
const ok = (payload: Record<string, unknown>, more: Partial<Outcome> = {}): Outcome =>
  ({ ok: true, payload, replayed: false, ...more }) as Outcome
const failed = (error: AdcpError, context?: unknown, release?: string): Outcome => ({
  ok: false,
  error,
  recoveryOf,
  ...(context !== undefined && { context }),
  ...(release !== undefined && { release }),
})

describe('success', () => {
  test('says completed unless the payload has a status of its own', () => {
    expect(structuredContent(ok({ products: [] }))).toEqual({ status: 'completed', products: [] })
    expect(structuredContent(ok({ status: 'submitted', task_id: 't' }))).toEqual({ status: 'submitted', task_id: 't' })
  })

  test('echoes a context only when there was one, and marks a replay only when it is one', () => {
    expect(structuredContent(ok({ a: 1 }, { context: { trace: [1] } }))).toEqual({
      status: 'completed',
      a: 1,
      context: { trace: [1] },
    })
    expect(structuredContent(ok({ a: 1 }, { replayed: true }))).toEqual({ status: 'completed', a: 1, replayed: true })
  })

  test("keeps a payload's own error", () => {
    expect(structuredContent(ok({ success: false, error: 'INVALID_TRANSITION' }))).toMatchObject({ error: 'INVALID_TRANSITION' })
  })
})

describe('failure', () => {
  test('carries the error in all three places and echoes the context', async () => {
    const issues = [{ pointer: '/account', message: 'is required', keyword: 'required' }]
    const error = new AdcpError('VALIDATION_ERROR', 'account is required', {
      field: 'account',
      issues,
      cause: new Error('secret'),
    })
    const wire = { code: 'VALIDATION_ERROR', message: 'account is required', recovery: 'correctable', field: 'account', issues }
    expect(structuredContent(failed(error, { a: 1 }))).toEqual({
      status: 'failed',
      adcp_error: wire,
      errors: [wire],
      error: { code: 'VALIDATION_ERROR', message: 'account is required', recovery: 'correctable' },
      context: { a: 1 },
    })
    expect(await toolResultJson(failed(error), LATEST)).not.toContain('secret')
  })

  test('an idempotency conflict gives no hints in adcp_error', () => {
    const content = structuredContent(failed(new AdcpError('IDEMPOTENCY_CONFLICT', 'The key was used with another payload')))
    expect(content.adcp_error).toEqual({ code: 'IDEMPOTENCY_CONFLICT', message: 'The key was used with another payload' })
    expect(content.errors).toMatchObject([{ code: 'IDEMPOTENCY_CONFLICT', recovery: 'correctable' }])
  })

  test('from 3.1 on it has its recovery there too', () => {
    const conflict = new AdcpError('IDEMPOTENCY_CONFLICT', 'The key was used with another payload')
    expect(structuredContent(failed(conflict, undefined, '3.1')).adcp_error).toEqual({
      code: 'IDEMPOTENCY_CONFLICT',
      message: 'The key was used with another payload',
      recovery: 'correctable',
    })
  })
})

describe('the text of a result', () => {
  const summarize = () => 'A summary of "it"'

  test.each([undefined, '2024-11-05', '2025-03-26'])('is all of the data as JSON for revision %s', (revision) => {
    for (const outcome of [
      ok({ text: 'a "quoted" ü \u2028' }, { summarize } as never),
      failed(new AdcpError('INVALID_REQUEST', 'no')),
    ]) {
      const result = toolResult(outcome, revision)
      expect(JSON.parse(result.content[0]!.text)).toEqual(result.structuredContent)
    }
  })

  test.each(['2025-06-18', '2025-11-25', '2026-07-28'])(
    'is the summary for revision %s, or one copy of the error',
    (revision) => {
      expect(toolResult(ok({ a: 1 }, { summarize } as never), revision)).toEqual({
        content: [{ type: 'text', text: 'A summary of "it"' }],
        structuredContent: { status: 'completed', a: 1 },
      })
      const { content, structuredContent: data } = toolResult(failed(new AdcpError('INVALID_REQUEST', 'no')), revision)
      expect(JSON.parse(content[0]!.text)).toEqual({ adcp_error: data.adcp_error })
    },
  )

  test('is JSON where the outcome has no summary: the principal asked for it', () => {
    const result = toolResult(ok({ a: 1 }), LATEST)
    expect(JSON.parse(result.content[0]!.text)).toEqual(result.structuredContent)
  })

  test('is the same from both serialisations', async () => {
    for (const revision of [undefined, LATEST])
      for (const outcome of [ok({ a: 'ü "' }, { summarize } as never), failed(new AdcpError('INVALID_REQUEST', 'no'))])
        expect(JSON.parse(await toolResultJson(outcome, revision))).toEqual(toolResult(outcome, revision))
  })
})
