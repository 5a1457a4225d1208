import { expect, test } from 'vitest'
import { askAdServer } from '../../src/operator/ask-ad-server.ts'
import { AdcpError } from '../../src/protocol/errors.ts'

test('who asks an ad server that is away reads why, and what to do', async () => {
  const away = askAdServer('premium', () => Promise.reject(new Error('the connection failed')))
  await expect(away).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    message: expect.stringMatching(/^premium does not answer: the connection failed; .*adservers test/),
  })
})

test('what it refuses stays as it is', async () => {
  const refusal = new AdcpError('UNSUPPORTED_FEATURE', 'it lists no lines')
  await expect(askAdServer('premium', () => Promise.reject(refusal))).rejects.toBe(refusal)
})
