import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HostedFiles } from '../../ad-serving/embedded/files/hosted-files.ts'
import { notText } from '../../domain/fit-text.ts'
import type { EmbeddedFile } from '../../store/embedded/files.ts'
import { allowFraming, respondEmpty } from '../http/respond.ts'
import { requestedPart, sendPart } from '../http/send-part.ts'
import type { Route } from '../http/server.ts'
import { FROM_ANYWHERE, refusedMethod, reply } from './ad-reply.ts'
import { bundlePolicy } from './frame-document.ts'

export interface FileParts {
  readonly files: HostedFiles
  readonly origin: string
}

/** The id of a file follows from its content, so that what lies at an address never changes. */
const CACHED = 'public, max-age=31536000, immutable'
/** Opened by itself, a file has no origin and runs nothing (CSP Level 3, 6.3.2). */
const FILE_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; media-src 'self'; frame-ancestors *"
const NO_FILE = { type: 'text/plain; charset=utf-8', body: 'There is no such file here.' }

/** `GET /ads/files/{publisher}/{id}.{ending}`: an image or a video of a creative, whole or in part. */
export function fileRoute({ files }: FileParts): Route {
  return async (request, response, [tenantId = '', fileId = '']) => {
    if (refusedMethod(request, response, ['GET', 'HEAD'])) return
    const file = await files.find(tenantId, fileId)
    await answer(request, response, file, { files, tenantId, policy: FILE_POLICY })
  }
}

/** `GET /ads/files/{publisher}/{bundle}/{path}`: a file of an HTML5 bundle. Its pages have no origin, wherever they are opened. */
export function bundleFileRoute({ files, origin }: FileParts): Route {
  const policy = bundlePolicy(origin)
  return async (request, response, [tenantId = '', bundleId = '', encoded = '']) => {
    if (refusedMethod(request, response, ['GET', 'HEAD'])) return
    const path = decoded(encoded)
    const file =
      path === undefined || notText(path) !== undefined ? undefined : await files.findInBundle(tenantId, bundleId, path)
    allowFraming(response)
    await answer(request, response, file, { files, tenantId, policy })
  }
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  file: EmbeddedFile | undefined,
  { files, tenantId, policy }: { readonly files: HostedFiles; readonly tenantId: string; readonly policy: string },
): Promise<void> {
  if (!file) return reply(response, 404, NO_FILE)
  const tag = `"${file.fileId}"`
  const headers = {
    ...FROM_ANYWHERE,
    'Content-Type': file.mimeType,
    'Content-Security-Policy': policy,
    'Cache-Control': CACHED,
    'Accept-Ranges': 'bytes',
    ETag: tag,
  }
  if (request.headers['if-none-match']?.split(',').some((each) => each.trim() === tag)) {
    respondEmpty(response, 304, headers)
    return
  }
  const source = { size: file.size, read: (start: number, end: number) => files.read(tenantId, file, start, end) }
  const isHead = request.method === 'HEAD'
  await sendPart(source, response, { headers, part: isHead ? undefined : requestedPart(request.headers, file.size, tag) })
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}
