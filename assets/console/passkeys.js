// Forms that a passkey fills in: `data-passkey` says whether one is made or used, `data-options` with what (WebAuthn §5.1). The answer goes back as a field of the form.
;(() => {
  const bytesOf = (text) =>
    Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0))
  const textOf = (buffer) =>
    btoa(String.fromCharCode(...new Uint8Array(buffer)))
      .replaceAll('+', '-')
      .replaceAll('/', '_')
      .replaceAll('=', '')
  const named = (credentials = []) => credentials.map((each) => ({ ...each, id: bytesOf(each.id) }))

  async function made(options) {
    const user = { ...options.user, id: bytesOf(options.user.id) }
    const excludeCredentials = named(options.excludeCredentials)
    const publicKey = { ...options, user, excludeCredentials, challenge: bytesOf(options.challenge) }
    const { id, response, authenticatorAttachment } = await navigator.credentials.create({ publicKey })
    return answer(id, authenticatorAttachment, {
      clientDataJSON: textOf(response.clientDataJSON),
      attestationObject: textOf(response.attestationObject),
      transports: response.getTransports?.() ?? [],
    })
  }

  async function used(options) {
    const allowCredentials = named(options.allowCredentials)
    const publicKey = { ...options, allowCredentials, challenge: bytesOf(options.challenge) }
    const { id, response, authenticatorAttachment } = await navigator.credentials.get({ publicKey })
    return answer(id, authenticatorAttachment, {
      clientDataJSON: textOf(response.clientDataJSON),
      authenticatorData: textOf(response.authenticatorData),
      signature: textOf(response.signature),
    })
  }

  function answer(id, authenticatorAttachment, response) {
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, authenticatorAttachment, response }
  }

  async function onSubmit(event) {
    const form = event.target
    if (!(form instanceof HTMLFormElement) || !form.dataset.passkey) return
    event.preventDefault()
    const status = form.querySelector('[data-passkey-status]')
    const button = form.querySelector('button')
    status.textContent = 'Your browser asks for the passkey.'
    button.disabled = true
    try {
      const options = JSON.parse(form.dataset.options)
      const given = await (form.dataset.passkey === 'make' ? made(options) : used(options))
      form.elements.namedItem('passkey').value = JSON.stringify(given)
      form.submit()
    } catch (error) {
      button.disabled = false
      status.textContent =
        error.name === 'InvalidStateError'
          ? 'This device has a passkey for your account already.'
          : 'No passkey was given. Try again, or use another way.'
    }
  }

  /** Without the interface of the browser the forms say that there is none. */
  function show() {
    for (const form of document.querySelectorAll('form[data-passkey]')) {
      const isThere = window.PublicKeyCredential !== undefined
      for (const part of form.querySelectorAll('[data-with-passkeys]')) part.hidden = !isThere
      for (const part of form.querySelectorAll('[data-without-passkeys]')) part.hidden = isThere
    }
  }

  document.addEventListener('submit', onSubmit)
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', show)
  else show()
})()
