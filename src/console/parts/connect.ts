import { publicOrigin } from '../../config/config.ts'
import type { OperatorContext } from '../../operator/operator-context.ts'
import { type Html, html } from '../html.ts'

/** Addresses at which the agents of buyers reach a publisher. */
export interface AgentAddresses {
  readonly mcp: string
  readonly card: string
}

/** Of a publisher; without one, or for the one that answers callers who name none, those of the deployment. */
export function agentAddresses(
  { config }: Pick<OperatorContext, 'config'>,
  tenant?: { readonly tenant: string; readonly public_default: boolean },
): AgentAddresses {
  const path = tenant === undefined || tenant.public_default ? '' : `/t/${tenant.tenant}`
  const origin = `${publicOrigin(config)}${path}`
  return { mcp: `${origin}/mcp`, card: `${origin}/.well-known/agent-card.json` }
}

/** A text to copy; the button is there with scripts alone. */
export function copyable(text: string, label: string): Html {
  return html`<span class="copy"><code>${text}</code><button type="button" class="quiet" data-copy="${text}" aria-label="Copy ${label}" hidden>Copy</button></span>`
}

/** Ways to add an MCP server to widely used assistants. `name`: as the assistant shows it. */
export function connectButtons(name: string, mcp: string): Html {
  const id =
    name
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '') || 'sales-agent'
  const cursor = new URLSearchParams({ name: id, config: Buffer.from(JSON.stringify({ url: mcp })).toString('base64') })
  const code = new URLSearchParams({ name: id, config: JSON.stringify({ type: 'http', url: mcp }) })
  return html`<p class="actions"><a class="button" href="https://claude.ai/settings/connectors" rel="noopener noreferrer">Claude</a><a class="button" href="https://chatgpt.com/#settings/Connectors" rel="noopener noreferrer">ChatGPT</a><a class="button" href="https://cursor.com/en/install-mcp?${cursor.toString()}" rel="noopener noreferrer">Cursor</a><a class="button" href="https://insiders.vscode.dev/redirect/mcp/install?${code.toString()}" rel="noopener noreferrer">VS Code</a></p>
<p class="hint">Claude and ChatGPT: add a custom connector and paste the MCP address. Cursor and VS Code ask you before they add it.</p>
<details><summary>Claude Code, and other clients</summary><pre>claude mcp add --transport http ${id} ${mcp}</pre><pre>${JSON.stringify({ mcpServers: { [id]: { url: mcp, headers: { Authorization: 'Bearer YOUR_KEY' } } } }, undefined, 2)}</pre></details>`
}
