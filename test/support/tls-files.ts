import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAuthority } from './fake-web/certificate.ts'

/** PEM files of a server for a name, whose clients are certified by an authority of their own. */
export function tlsFiles(name = 'localhost') {
  const folder = mkdtempSync(join(tmpdir(), 'sales-agent-tls-'))
  const servers = createAuthority()
  const clients = createAuthority()
  const { cert, key } = servers.issue(name)
  const file = (name: string, text: string) => {
    const path = join(folder, name)
    writeFileSync(path, text)
    return path
  }
  return {
    ca: servers.ca,
    clients,
    tls: { cert: file('cert.pem', cert), key: file('key.pem', key), clientCa: file('clients.pem', clients.ca) },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
