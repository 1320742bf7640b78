export default {
  init() { return },,
};
