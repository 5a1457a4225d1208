import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createAdTokens } from '../../src/ad-serving/embedded/tokens.ts'
import { deploymentSecret, secretPath } from '../../src/security/secrets/deployment-secret.ts'
import { derivedSecrets } from '../../src/security/secrets/derived-secret.ts'
import { type Child, freePort, startChild } from '../agent/child.ts'
import { BUILT_COMMAND } from '../agent/start-agent.ts'
import { seeded } from '../faults/random.ts'
import { judgeLog } from './judge-log.ts'
import { AdPages } from './pages.ts'
import { prepareAdStore } from './prepare.ts'

export interface AdKillOptions {
  readonly rounds: number
  readonly seed: number
  readonly say: (text: string) => void
  /** Words of the command line; default: the built one. */
  readonly command?: readonly string[]
}

export interface AdKillFindings {
  readonly sent: number
  readonly acknowledged: number
  readonly counted: number
  /** Events that were sent once more, acknowledged before or not. */
  readonly repeated: number
  readonly seconds: number
  readonly problems: readonly string[]
}

/** A process lives this long under load before it is killed, in milliseconds: shorter and longer than a batch of the log. */
const [SHORTEST, SPREAD] = [30, 400]

/** Whether a process that is killed at any moment has lost an event that it acknowledged, or counted one twice. Everything runs on this machine. */
export async function runAdKills({ rounds, seed, say, command = BUILT_COMMAND }: AdKillOptions): Promise<AdKillFindings> {
  const folder = mkdtempSync(join(tmpdir(), 'ad-kills-'))
  const data = join(folder, 'data')
  const chance = seeded(seed)
  const started = performance.now()
  let child: Child | undefined
  try {
    await prepareAdStore(command, folder, data)
    const secret = deploymentSecret(secretPath(data), undefined)
    const port = await freePort()
    const start = () =>
      startChild({
        command: [...command, 'serve', '--only', 'ads', '--data', data, '--port', String(port)],
        // A development server exempts this machine from limits.
        environment: { SALES_AGENT_MODE: 'development' },
        readyUrl: `http://127.0.0.1:${port}/readyz`,
      })
    const pages = new AdPages(`http://127.0.0.1:${port}`, chance, createAdTokens(derivedSecrets(secret, 'ad-tokens', 'served')))
    for (let round = 0; round < rounds; round++) {
      child = await start()
      const load = pages.load()
      await sleep(SHORTEST + chance() * SPREAD)
      await child.end('SIGKILL')
      await load.stop()
      if ((round + 1) % 20 === 0) say(`${round + 1} rounds, ${pages.acknowledged.size} events acknowledged`)
    }
    const afterKills = await judgeLog(data, pages)
    // Everything that was acknowledged lately comes once more, as from a page that lost the answer.
    child = await start()
    await pages.sendAgain()
    await child.end('SIGTERM')
    const afterReplays = await judgeLog(data, pages)
    const grown = afterReplays.counted - afterKills.counted - pages.newWithReplays
    return {
      sent: pages.sent.size,
      acknowledged: pages.acknowledged.size,
      counted: afterReplays.counted,
      repeated: pages.repeated,
      seconds: Math.round((performance.now() - started) / 1000),
      problems: [
        ...afterKills.problems,
        ...afterReplays.problems,
        ...(grown > 0 ? [`${grown} events were counted again`] : []),
        ...(pages.acknowledged.size === 0 ? ['no event was acknowledged: nothing was tried'] : []),
      ],
    }
  } finally {
    await child?.end('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
}
