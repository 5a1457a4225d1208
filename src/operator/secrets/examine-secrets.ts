import { type Finding, ok, problem, warning } from '../../features/doctor/finding.ts'
import type { OperatorContext } from '../operator-context.ts'
import { readSecretState, type SecretState } from './secret-state.ts'

const CHECK = 'deployment secret'

/** Whether everything stored can be opened, and whether a rotation of the deployment's secret waits for something. */
export async function examineSecrets({ store, services, clock }: OperatorContext): Promise<readonly Finding[]> {
  const state = await readSecretState({ store, services })
  const { current, rotation, retireAfter, texts } = state
  const findings = [...lostTexts(state), ...otherProcesses(state)]
  if (rotation && rotation.resealed_at === null)
    findings.push(
      warning(CHECK, `the rotation to ${rotation.secret_id} was interrupted`, 'sales-agent secrets rotate finishes it'),
    )
  else if (texts.earlier > 0)
    findings.push(
      warning(
        CHECK,
        `${texts.earlier} stored texts are sealed under an earlier secret`,
        'sales-agent secrets rotate seals them anew',
      ),
    )
  else if (rotation && retireAfter !== undefined && clock().toISOString() >= retireAfter)
    findings.push(
      warning(
        CHECK,
        `${rotation.previous_id} still opens, though nothing needs it since ${retireAfter}`,
        'sales-agent secrets retire',
      ),
    )
  return findings.length > 0 ? findings : [ok(CHECK, `${current} opens everything that is stored${retiring(state)}`)]
}

function lostTexts({ texts: { unreadable } }: SecretState): Finding[] {
  if (unreadable === 0) return []
  return [
    problem(
      CHECK,
      `${unreadable} stored texts cannot be opened with any secret of this deployment`,
      'give it the secret that they were sealed under (SALES_AGENT_SECRET_PREVIOUS) and run "sales-agent secrets rotate"',
    ),
  ]
}

function otherProcesses({ current, processes }: SecretState): Finding[] {
  return processes
    .filter(({ opens }) => !opens.includes(current))
    .map(({ pid, source }) =>
      problem(CHECK, `process ${pid} (${source}) cannot open what is sealed under ${current}`, 'give it the current secret'),
    )
}

function retiring({ rotation, retireAfter }: SecretState): string {
  return rotation && retireAfter !== undefined
    ? `; ${rotation.previous_id} verifies until it is retired, from ${retireAfter}`
    : ''
}
