import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Implementation } from '@modelcontextprotocol/server'

const ICON = {
  src: `data:image/png;base64,${readFileSync(fileURLToPath(new URL('../../../assets/icon.png', import.meta.url))).toString('base64')}`,
  mimeType: 'image/png',
  sizes: ['96x96'],
}

/** What a server says of itself at the handshake (MCP, Implementation), with the icon that a host shows beside it. */
export function serverInfo(name: string, title: string, version: string): Implementation {
  return { name, title, version, icons: [ICON] }
}
