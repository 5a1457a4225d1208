import type { IncomingMessage } from 'node:http'

/** The body is larger than the door accepts; nothing of it is kept. */
export class BodyTooLarge extends Error {}

/** The peer went away, or the stream failed, before the body was complete. */
export class BodyIncomplete extends Error {}

/**
 * Reads a request body whole, as the bytes that came (a signature is verified over exactly these). Never holds more
 * than `maxBytes` plus one chunk.
 * @throws BodyTooLarge when a declared or actual length exceeds `maxBytes`; the stream is left paused
 * @throws BodyIncomplete when the peer aborts
 */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return Promise.reject(new BodyTooLarge())
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = []
    let received = 0
    const settle = (finish: () => void) => {
      request.off('data', onData).off('end', onEnd).off('error', onAbort).off('close', onAbort)
      finish()
    }
    const onData = (chunk: Buffer) => {
      received += chunk.length
      if (received <= maxBytes) {
        chunks.push(chunk)
        return
      }
      chunks = []
      request.pause()
      settle(() => reject(new BodyTooLarge()))
    }
    const onEnd = () => settle(() => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)))
    const onAbort = () => settle(() => reject(new BodyIncomplete()))
    request.on('data', onData).on('end', onEnd).on('error', onAbort).on('close', onAbort)
  })
}
