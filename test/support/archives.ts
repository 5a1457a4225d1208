import { writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { zipSync } from 'fflate'
import { packTar } from 'modern-tar'

/** Files of a small release with one task, as published: a patch such as `3.1.2`, and schemas by their relative path beside those that every release has. */
export function releaseFiles(patch: string, schemas: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const tool = {
    protocol: 'media_buy',
    mutating: false,
    request_schema: 'media-buy/ask-request.json',
    response_schema: 'media-buy/ask-response.json',
  }
  return {
    'manifest.json': { adcp_version: patch, tools: { ask: tool }, error_codes: {}, specialisms: {} },
    'media-buy/ask-request.json': { type: 'object', properties: { brief: { type: 'string' } } },
    'media-buy/ask-response.json': { type: 'object', properties: { products: { type: 'array' } } },
    ...schemas,
  }
}

/** Writes files as a zip archive, below a folder inside it. */
export function writeZip(file: string, folder: string, files: Readonly<Record<string, unknown>>): void {
  const entries = Object.entries(files).map(([path, value]) => [`${folder}/${path}`, bytesOf(value)])
  writeFileSync(file, zipSync(Object.fromEntries(entries)))
}

/** Writes files as a gzip-compressed tar archive, below a folder inside it. */
export async function writeTarGz(file: string, folder: string, files: Readonly<Record<string, unknown>>): Promise<void> {
  const entries = Object.entries(files).map(([path, value]) => {
    const body = bytesOf(value)
    return { header: { name: `${folder}/${path}`, size: body.length, type: 'file' as const }, body }
  })
  writeFileSync(file, gzipSync(await packTar(entries)))
}

function bytesOf(value: unknown): Uint8Array {
  return new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value))
}
