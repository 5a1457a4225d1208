import type { FetchAnswer, SafeFetch } from './safe-fetch.ts'

/**
 * GET or POST to an address that the person at the command line typed, loopback and plain HTTP included, with the sizes and times of the
 * policy. For commands only: addresses that others name go through `createSafeFetch`. Throws TypeError or an AbortError of the runtime, and
 * Error for an answer that is too large.
 */
export const plainFetch: SafeFetch = async (url, { policy, signal, accept, post }) => {
  const deadline = AbortSignal.timeout(policy.totalMs)
  const answer = await fetch(url, {
    redirect: 'error',
    signal: signal ? AbortSignal.any([deadline, signal]) : deadline,
    headers: { ...(accept !== undefined && { accept }), ...post?.headers },
    ...(post && { method: 'POST', body: post.body }),
  })
  return {
    status: answer.status,
    url: answer.url,
    body: await boundedBody(answer, policy.maxBytes),
    contentType: answer.headers.get('content-type') ?? '',
    etag: answer.headers.get('etag') ?? undefined,
    lastModified: answer.headers.get('last-modified') ?? undefined,
    retryAfter: Number(answer.headers.get('retry-after')) || undefined,
    mcpSessionId: answer.headers.get('mcp-session-id') ?? undefined,
    challenge: answer.headers.get('www-authenticate') ?? undefined,
  } satisfies FetchAnswer
}

/** The body of an answer, its content coding undone; ends the answer, and throws Error, as soon as more than `maxBytes` have come. */
export async function boundedBody(answer: Response, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > maxBytes) throw new Error(`the answer is larger than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
