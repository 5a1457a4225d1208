import { renameSync, writeFileSync } from 'node:fs'
import { RegistryClient, RegistrySync } from '@adcp/sdk'

// A consumer in a process of its own, so that it can be killed: the official RegistrySync, and a file with what it holds at the moment.
const [origin = '', stateFile = '', ...agents] = process.argv.slice(2)
const client = new RegistryClient({ baseUrl: origin, apiKey: 'sk_any' })
const sync = new RegistrySync({ client, pollIntervalMs: 20 })
sync.on('error', () => undefined)
setInterval(() => {
  if (sync.state !== 'syncing') return
  const held = agents.flatMap((agent) =>
    sync.getAuthorizationsForAgent(agent).map(({ publisher_domain: domain }) => `${agent} ${domain}`),
  )
  writeFileSync(`${stateFile}.new`, JSON.stringify({ pid: process.pid, held: held.sort() }))
  renameSync(`${stateFile}.new`, stateFile)
}, 50)
// The node may be down at the moment.
for (let started = false; !started; ) {
  started = await sync.start().then(
    () => true,
    () => new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 100)),
  )
}
