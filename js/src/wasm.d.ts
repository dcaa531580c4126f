declare module "sotto-client-wasm" {
  const bytes: Uint8Array<ArrayBuffer>;
  export default bytes;
}
