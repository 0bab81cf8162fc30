/**
 * What a measured command sees of this machine: a path, a home of its own and the bench's server. Left out are proxies,
 * stored projects and NODE_EXTRA_CA_CERTS, which alone makes `node -e 0` half as slow again.
 */
export function plainEnvironment({ home, origin }) {
  const kept = ['PATH', 'SystemRoot', 'TEMP', 'TMP', 'LANG'].filter(
    (name) => process.env[name] !== undefined,
  );
  return {
    ...Object.fromEntries(kept.map((name) => [name, process.env[name]])),
    HOME: home,
    USERPROFILE: home,
    XDG_CONFIG_HOME: home,
    APPDATA: home,
    HOGCTL_STATE_DIR: home,
    HOGCTL_HOST: origin,
    HOGCTL_PROJECT: '1',
    HOGCTL_API_KEY: 'phx_bench',
  };
}
